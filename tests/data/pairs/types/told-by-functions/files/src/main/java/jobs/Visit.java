package jobs;

import java.util.List;
import lombok.extern.slf4j.Slf4j;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Slf4j
public class Visit {
  // members
  public long at;
  public String page;
  @TypeInfo(Tags.class)
  public List<String> tags;
  public String getPage() { return page; }
}
