package checker;

import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Optional;

/**
 * An object of any interfaces that answers each method with a constant, null where none is given. It can be serialized,
 * so that a sink or a source whose connector is absent can be shipped to the tasks of a job.
 */
public final class StandIn implements InvocationHandler, Serializable {
  private static final long serialVersionUID = 1L;
  private final HashMap<String, Object> answers;

  private StandIn(HashMap<String, Object> answers) {
    this.answers = answers;
  }

  /** Answers by method name. */
  public static Object of(HashMap<String, Object> answers, Class<?>... interfaces) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return Proxy.newProxyInstance(loader, interfaces, new StandIn(answers));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "equals":
        return proxy == arguments[0];
      case "hashCode":
        return System.identityHashCode(proxy);
      case "toString":
        return "stand-in";
      case "run": // a source function: it emits nothing until its task is cancelled
        try {
          Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException cancelled) {
          Thread.currentThread().interrupt();
        }
        return null;
      default:
        Object answer = answers.get(method.getName());
        return method.getReturnType() == Optional.class ? Optional.ofNullable(answer) : answer;
    }
  }
}
