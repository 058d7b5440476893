package org.apache.flink.api.common.python;

/** Constants that functions in Python are called with: no stand-in reads them. */
public final class PythonBridgeUtils {
  private PythonBridgeUtils() {}

  public static byte[] pickleValue(Object value, byte coder) {
    return new byte[0];
  }
}
