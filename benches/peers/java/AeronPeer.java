import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of Aeron for bench-peers, with the arguments and the output of the other ends (src/job.rs). The media driver
 * and the conductor of the client run in the thread of the application, so that each end needs one processor.
 */
public final class AeronPeer {
    private static final int PORT = 7000;
    private static final int BATCH = 32;
    private static final long PACE = 10_000_000;
    private static final long PATIENCE = 10_000_000_000L;

    private final boolean isServer;
    private final String workload;
    private final long warmUp;
    private final long window;
    private final UnsafeBuffer message;
    private final com.sun.management.OperatingSystemMXBean system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private MediaDriver driver;
    private Aeron aeron;
    private Subscription in;
    private Publication out;
    private int idleTurns;

    private AeronPeer(String[] a) {
        isServer = a[0].equals("server");
        workload = a[2];
        message = new UnsafeBuffer(new byte[Integer.parseInt(a[3])]);
        warmUp = Long.parseLong(a[4]) * 1_000_000;
        window = Long.parseLong(a[5]) * 1_000_000;
    }

    public static void main(String[] a) {
        try {
            new AeronPeer(a).run(a.length > 7 ? a[7].split(":")[0] : null);
        } catch (Exception e) {
            System.out.println("failed " + e.toString().replace('\n', ' '));
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private void run(String server) {
        driver = MediaDriver.launchEmbedded(new MediaDriver.Context().threadingMode(ThreadingMode.INVOKER)
            .aeronDirectoryName("/dev/shm/aeron").dirDeleteOnStart(true).publicationTermBufferLength(4 << 20)
            .initialWindowLength(1 << 20).socketRcvbufLength(4 << 20).socketSndbufLength(4 << 20));
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName())
            .driverAgentInvoker(driver.sharedAgentInvoker()).useConductorAgentInvoker(true));
        if (isServer) {
            in = aeron.addSubscription("aeron:udp?endpoint=0.0.0.0:" + PORT, 1);
            print("ready " + PORT);
            while (in.imageCount() == 0) {
                turn(0);
            }
            if (workload.equals("stream")) {
                takeStream();
            } else {
                String client = in.imageAtIndex(0).sourceIdentity().split(":")[0];
                out = aeron.addExclusivePublication("aeron:udp?endpoint=" + client + ":" + (PORT + 1), 2);
                echo();
            }
            return;
        }
        in = workload.equals("stream") ? null : aeron.addSubscription("aeron:udp?endpoint=0.0.0.0:" + (PORT + 1), 2);
        out = aeron.addExclusivePublication("aeron:udp?endpoint=" + server + ":" + PORT, 1);
        while (!out.isConnected() || (in != null && in.imageCount() == 0)) {
            turn(0);
        }
        switch (workload) {
            case "stream" -> sendStream();
            case "paced" -> paced();
            default -> roundTrips();
        }
    }

    private static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** The driver's and the conductor's work; sleeps a little where nothing happens, unless the workload polls. */
    private void turn(int done) {
        int work = done + driver.sharedAgentInvoker().invoke() + aeron.conductorAgentInvoker().invoke();
        idleTurns = work > 0 ? 0 : idleTurns + 1;
        if (idleTurns > 20 && !workload.equals("polling")) {
            LockSupport.parkNanos(20_000);
        }
    }

    private void send(long number) {
        message.putLong(0, number);
        long begin = System.nanoTime();
        while (out.offer(message, 0, message.capacity()) < 0) {
            turn(0);
            if (System.nanoTime() - begin > PATIENCE) {
                throw new IllegalStateException("there was no room for a message in ten seconds");
            }
        }
    }

    private void echo() {
        FragmentHandler answer = (buffer, offset, length, header) -> send(buffer.getLong(offset));
        while (true) {
            turn(in.poll(answer, 64));
        }
    }

    private void roundTrips() {
        double[] times = new double[1 << 20];
        int count = 0;
        long[] answered = {-1};
        FragmentHandler take = (buffer, offset, length, header) -> answered[0] = buffer.getLong(offset);
        long begin = System.nanoTime();
        for (long next = 0; System.nanoTime() - begin < warmUp + window && count < times.length; next++) {
            long start = System.nanoTime();
            send(next);
            turn(1);
            while (answered[0] != next) {
                turn(in.poll(take, 64));
                if (System.nanoTime() - start > PATIENCE) {
                    throw new IllegalStateException("no answer came in ten seconds");
                }
            }
            if (System.nanoTime() - begin > warmUp) {
                times[count++] = (System.nanoTime() - start) / 1e3;
            }
        }
        latencies(Arrays.copyOf(times, count), 0);
    }

    private static void latencies(double[] times, int missing) {
        Arrays.sort(times);
        print("result count=" + times.length + " median_us=" + times[times.length / 2] + " p99_us="
            + times[(int) (times.length * 0.99)] + " missing=" + missing + " counters=");
    }

    private void paced() {
        int first = (int) (warmUp / PACE);
        int count = first + (int) (window / PACE);
        double[] times = new double[count];
        Arrays.fill(times, Double.MAX_VALUE);
        int[] answered = {0};
        long begin = System.nanoTime();
        FragmentHandler take = (buffer, offset, length, header) -> {
            int n = (int) buffer.getLong(offset);
            times[n] = Math.min(times[n], (System.nanoTime() - begin - n * PACE) / 1e3);
            answered[0]++;
        };
        for (int sent = 0; answered[0] < count && System.nanoTime() - begin < count * PACE + PATIENCE;) {
            if (sent < count && System.nanoTime() - begin >= sent * PACE) {
                send(sent++);
            }
            turn(in.poll(take, 64));
        }
        latencies(Arrays.copyOfRange(times, first, count), count - answered[0]);
    }

    private void sendStream() {
        long begin = System.nanoTime();
        long since = 0;
        long used = 0;
        boolean isPrinted = false;
        for (long next = 0; ; ) {
            for (int i = 0; i < BATCH; i++) {
                send(next++);
            }
            turn(1);
            long now = System.nanoTime();
            if (since == 0 && now - begin >= warmUp) {
                since = now;
                used = system.getProcessCpuTime();
            } else if (since != 0 && now - since >= window && !isPrinted) {
                double share = (double) (system.getProcessCpuTime() - used) / (now - since);
                print("result processor=" + share + " sent=" + next + " counters=");
                isPrinted = true;
            }
        }
    }

    private void takeStream() {
        long[] all = {0, 0};
        int size = message.capacity();
        FragmentHandler take = new FragmentAssembler((buffer, offset, length, header) -> {
            if (buffer.getLong(offset) != all[0] || length != size) {
                throw new IllegalStateException("message " + all[0] + " is not the next one");
            }
            all[0]++;
            all[1] += length;
        });
        long begin = 0;
        long since = 0;
        long used = 0;
        long[] then = {0, 0};
        boolean isPrinted = false;
        while (true) {
            turn(in.poll(take, 256));
            long now = System.nanoTime();
            begin = begin == 0 && all[0] > 0 ? now : begin;
            if (begin != 0 && since == 0 && now - begin >= warmUp) {
                since = now;
                used = system.getProcessCpuTime();
                then = all.clone();
            } else if (since != 0 && now - since >= window && !isPrinted) {
                double seconds = (now - since) / 1e9;
                double share = (system.getProcessCpuTime() - used) / 1e9 / seconds;
                print("result bytes=" + (all[1] - then[1]) / seconds + " rate=" + (all[0] - then[0]) / seconds
                    + " processor=" + share + " counters=");
                isPrinted = true;
            }
        }
    }
}
