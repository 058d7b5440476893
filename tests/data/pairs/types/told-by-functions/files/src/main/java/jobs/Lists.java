package jobs;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

public abstract class Lists<T> extends TypeInfoFactory<List<T>> {
  public TypeInformation<List<T>> createTypeInfo(Type type, Map<String, TypeInformation<?>> parameters) {
    return Types.LIST(elements());
  }
  protected abstract TypeInformation<T> elements();
}
