// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

/**
 * A user's OSGi framework, to which no package of the JDK beyond java.* is delegated: installs the library's
 * jar as a bundle and reads through its native code. Arguments: the jar, a folder for the framework's cache.
 */
public final class InBundle {
    public static void main(String[] arguments) throws Exception {
        Map<String, String> configuration = new HashMap<>();
        configuration.put(Constants.FRAMEWORK_STORAGE, arguments[1]);
        FrameworkFactory factory = (FrameworkFactory) Class
                .forName("org.apache.felix.framework.FrameworkFactory")
                .getDeclaredConstructor().newInstance();
        Framework framework = factory.newFramework(configuration);
        framework.start();
        try {
            Bundle bundle = framework.getBundleContext()
                    .installBundle(new File(arguments[0]).toURI().toString());
            bundle.start();
            Class<?> clock = bundle.loadClass("dev.threadclock.ThreadClock");
            boolean isNative = (Boolean) clock.getMethod("isNative").invoke(null);
            long userNanos = (Long) clock.getMethod("userNanos").invoke(null);
            if (!isNative || userNanos < 0) {
                throw new AssertionError("native " + isNative + ", user time " + userNanos);
            }
            System.out.println(bundle.getSymbolicName() + " " + bundle.getVersion() + " exports "
                    + Collections.list(bundle.getHeaders().elements()).stream()
                            .filter(header -> header.startsWith("dev.threadclock;"))
                            .findFirst().orElse("nothing"));
        } finally {
            framework.stop();
            framework.waitForStop(0);
        }
    }
}
