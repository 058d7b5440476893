import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.util.StringUtils;

/**
 * What SavepointWriter.changeOperatorIdentifier does with the metadata of a savepoint, by the same classes of Flink's
 * runtime: read, copied under new ids, written. Lines of the input: a folder, the file to write, and OLD=NEW as ids.
 */
public final class RenameByFlink {
    private RenameByFlink() {}

    static OperatorState renamed(OperatorState state, OperatorID id) throws Exception {
        for (Method copying : OperatorState.class.getMethods()) {
            if (copying.getName().startsWith("copyWithNew")) {
                return (OperatorState) (copying.getParameterCount() == 1 ? copying.invoke(state, id) : copying.invoke(state, null, id));
            }
        }
        throw new IllegalStateException("this Flink renames no operators");
    }

    public static void main(String[] unused) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            rename(line.split("\t"));
        }
    }

    static void rename(String[] arguments) throws Exception {
        Map<String, OperatorID> ids = new HashMap<>();
        for (int i = 2; i < arguments.length; i++) {
            String[] pair = arguments[i].split("=");
            ids.put(pair[0], new OperatorID(StringUtils.hexStringToByte(pair[1])));
        }
        Path folder = Paths.get(arguments[0]);
        CheckpointMetadata read;
        try (DataInputStream input = new DataInputStream(new BufferedInputStream(Files.newInputStream(folder.resolve("_metadata"))))) {
            read = Checkpoints.loadCheckpointMetadata(input, RenameByFlink.class.getClassLoader(), folder.toUri().toString());
        }
        List<OperatorState> states = new ArrayList<>();
        for (OperatorState state : read.getOperatorStates()) {
            OperatorID id = ids.get(state.getOperatorID().toHexString());
            states.add(id == null ? state : renamed(state, id));
        }
        try (OutputStream output = new BufferedOutputStream(Files.newOutputStream(Paths.get(arguments[1])))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(read.getCheckpointId(), states, read.getMasterStates()), output);
        }
    }
}
