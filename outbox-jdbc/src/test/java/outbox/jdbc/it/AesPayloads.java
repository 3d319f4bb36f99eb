package outbox.jdbc.it;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import outbox.EventEnvelope;
import outbox.spi.PayloadTransformer;
import outbox.spi.UnknownPayloadKeyException;

/** Encrypts with the first of the keys that it knows, and counts what it restores. Events of the type {@code Plain} stay as they are. */
final class AesPayloads implements PayloadTransformer {

    private static final int IV = 12;

    final AtomicInteger restored = new AtomicInteger();
    private final SecureRandom random = new SecureRandom();
    private final List<String> keyIds;

    AesPayloads(String... keyIds) {
        this.keyIds = List.of(keyIds);
    }

    @Override
    public Transformed transform(byte[] payload, EventEnvelope event) throws GeneralSecurityException {
        if (event.eventType().equals("Plain")) {
            return null;
        }
        byte[] iv = new byte[IV];
        random.nextBytes(iv);
        byte[] encrypted = cipher(Cipher.ENCRYPT_MODE, keyIds.get(0), iv, event).doFinal(payload);
        byte[] stored = Arrays.copyOf(iv, IV + encrypted.length);
        System.arraycopy(encrypted, 0, stored, IV, encrypted.length);
        return Transformed.of(stored, keyIds.get(0));
    }

    @Override
    public byte[] restore(byte[] stored, String keyId, EventEnvelope event) throws Exception {
        if (!keyIds.contains(keyId)) {
            throw new UnknownPayloadKeyException(keyId);
        }
        restored.incrementAndGet();
        byte[] iv = Arrays.copyOf(stored, IV);
        return cipher(Cipher.DECRYPT_MODE, keyId, iv, event).doFinal(stored, IV, stored.length - IV);
    }

    private static Cipher cipher(int mode, String keyId, byte[] iv, EventEnvelope event)
            throws GeneralSecurityException {
        byte[] key = Arrays.copyOf(keyId.getBytes(StandardCharsets.UTF_8), 16);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, iv));
        String identity = event.eventId() + event.eventType() + event.tenantId() + event.headers();
        cipher.updateAAD(identity.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
