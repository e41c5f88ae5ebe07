import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.kernel.internal.GraphDatabaseAPI;

/**
 * Neo4j's community engine on loopback, without an installation: {@code Engine.java FOLDER PORT [leash]
 * [SETTING=VALUE ...]}. Prints its URL once it answers there. Port 0 takes a free one. It asks for the
 * password of TREEGRAPH_NEO4J_PASSWORD (user neo4j), for none where that is empty. On a leash it stops when
 * its standard input ends, and so with whoever started it.
 */
public class Engine {
    public static void main(String[] args) throws Exception {
        String password = System.getenv().getOrDefault("TREEGRAPH_NEO4J_PASSWORD", "");
        var settings = new HashMap<>(Map.of(
                "server.bolt.enabled", "true",
                "server.bolt.listen_address", "127.0.0.1:" + args[1],
                "dbms.security.auth_enabled", String.valueOf(!password.isEmpty()),
                "server.memory.pagecache.size", "64m",
                "db.tx_log.rotation.retention_policy", "1 files",
                "db.tx_log.rotation.size", "16m",
                // Planning is most of what a test of a few rows takes: a plan that is there is used.
                "dbms.cypher.min_replan_interval", "1h",
                "internal.cypher.use_parameter_size", "false",
                "internal.dbms.bolt.netty_server_shutdown_quiet_period", "0"));
        for (String given : List.of(args).subList(2, args.length)) {
            String[] pair = given.split("=", 2);
            if (pair.length == 2) settings.put(pair[0], pair[1]);
        }
        Path folder = Files.createDirectories(Path.of(args[0]));
        Path file = folder.resolve("neo4j.conf");
        Files.write(file, settings.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue()).toList());
        var service = new DatabaseManagementServiceBuilder(folder).loadPropertiesFromFile(file).build();
        Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        if (!password.isEmpty()) {
            service.database("system").executeTransactionally(
                    "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", password));
        }
        var ports = ((GraphDatabaseAPI) service.database("neo4j"))
                .getDependencyResolver().resolveDependency(ConnectorPortRegister.class);
        System.out.println("bolt://127.0.0.1:" + ports.getLocalAddress(ConnectorType.BOLT).getPort());
        if (List.of(args).contains("leash")) {
            while (System.in.read() >= 0) {}
            System.exit(0);
        }
        Thread.currentThread().join();
    }
}
