package jobs;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

public class Tags extends Lists<String> {
  protected TypeInformation<String> elements() { return Types.STRING; }
}
