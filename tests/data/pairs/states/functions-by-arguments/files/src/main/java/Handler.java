public class Handler implements java.lang.reflect.InvocationHandler {
  public Object invoke(Object proxy, java.lang.reflect.Method m, Object[] a) { return new Count(); }
}
