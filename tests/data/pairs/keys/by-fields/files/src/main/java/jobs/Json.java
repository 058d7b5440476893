package jobs;

import com.fasterxml.jackson.databind.ObjectMapper;

public class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  static String of(Object object) {
    try {
      return MAPPER.writeValueAsString(object);
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }
}
