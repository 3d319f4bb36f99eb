package outbox.testservers.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * A lock that excludes other processes as well as other threads, and that the system releases if its holder is killed.
 * File locks alone belong to the whole JVM, hence the semaphore beside each.
 */
public final class FileMutex {

    private static final Map<Path, Semaphore> IN_THIS_JVM = new ConcurrentHashMap<>();

    private final Semaphore semaphore;
    private final FileChannel channel;

    private FileMutex(Semaphore semaphore, FileChannel channel) {
        this.semaphore = semaphore;
        this.channel = channel;
    }

    /** Waits for the lock. */
    public static FileMutex acquire(Path file) {
        Semaphore semaphore = semaphoreOf(file);
        semaphore.acquireUninterruptibly();
        try {
            FileChannel channel = open(file);
            channel.lock();
            return new FileMutex(semaphore, channel);
        } catch (IOException e) {
            semaphore.release();
            throw new UncheckedIOException("cannot lock " + file, e);
        }
    }

    /** Takes the lock if nobody has it. */
    public static Optional<FileMutex> tryAcquire(Path file) {
        Semaphore semaphore = semaphoreOf(file);
        if (!semaphore.tryAcquire()) {
            return Optional.empty();
        }
        try {
            FileChannel channel = open(file);
            if (channel.tryLock() != null) {
                return Optional.of(new FileMutex(semaphore, channel));
            }
            channel.close();
            semaphore.release();
            return Optional.empty();
        } catch (IOException e) {
            semaphore.release();
            throw new UncheckedIOException("cannot lock " + file, e);
        }
    }

    public void release() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            semaphore.release();
        }
    }

    private static Semaphore semaphoreOf(Path file) {
        return IN_THIS_JVM.computeIfAbsent(file.toAbsolutePath().normalize(), path -> new Semaphore(1));
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }
}
