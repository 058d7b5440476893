import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * What SavepointWriter.changeOperatorIdentifier does to an operator with a coordinator: it writes the copy that the
 * operator's state makes of itself under the new id. Prints whether the copy has the coordinator's state.
 */
public final class RenameInSavepoint {
  public static void main(String[] args) throws Exception {
    OperatorState state = null;
    for (Constructor<?> made : OperatorState.class.getConstructors()) {
      if (made.getParameterCount() == 3) {
        state = (OperatorState) made.newInstance(new OperatorID(), 2, 128);
      } else if (made.getParameterCount() == 5) {
        state = (OperatorState) made.newInstance("name", "uid", new OperatorID(), 2, 128);
      }
    }
    state.setCoordinatorState(new ByteStreamStateHandle("splits", new byte[] {1, 2, 3}));
    for (Method copying : OperatorState.class.getMethods()) {
      if (copying.getName().startsWith("copyWithNew")) {
        Object copy = copying.getParameterCount() == 1
            ? copying.invoke(state, new OperatorID())
            : copying.invoke(state, "uid", new OperatorID());
        System.out.println(((OperatorState) copy).getCoordinatorState() != null);
      }
    }
  }
}
