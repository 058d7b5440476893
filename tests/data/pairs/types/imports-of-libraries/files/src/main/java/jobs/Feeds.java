package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import com.lib.Payload;

import com.lib.Feed;
import com.lib.Unused;
import java.util.Properties;
public class Feeds {
  static Feed made() {
    try {
      Properties properties = new Properties();
      properties.load(Feeds.class.getResourceAsStream("feed.properties"));
      return new Feed(properties);
    } catch (java.io.IOException e) { throw new RuntimeException(e); }
  }
}
