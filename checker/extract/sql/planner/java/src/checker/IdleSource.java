package checker;

import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Set;

/** A source function that keeps what another one keeps, and emits nothing until its task is cancelled. */
public final class IdleSource implements InvocationHandler, Serializable {
  private static final long serialVersionUID = 1L;
  private final Object function;

  private IdleSource(Object function) {
    this.function = function;
  }

  /** The function itself where it is a stand-in already. */
  public static Object of(Object function) {
    if (Proxy.isProxyClass(function.getClass())) {
      return function;
    }
    Set<Class<?>> interfaces = new LinkedHashSet<>();
    for (Class<?> type = function.getClass(); type != null; type = type.getSuperclass()) {
      for (Class<?> implemented : type.getInterfaces()) {
        if (Modifier.isPublic(implemented.getModifiers())) {
          interfaces.add(implemented);
        }
      }
    }
    ClassLoader loader = function.getClass().getClassLoader();
    return Proxy.newProxyInstance(loader, interfaces.toArray(new Class<?>[0]), new IdleSource(function));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("run") && method.getParameterCount() == 1) {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException cancelled) {
        Thread.currentThread().interrupt();
      }
      return null;
    }
    try {
      return method.invoke(function, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }
}
