package outbox.jackson2;

import outbox.jackson.CodecCases;
import outbox.util.JsonCodec;

class Jackson2JsonCodecTest extends CodecCases {

    @Override
    protected JsonCodec codec() {
        return new Jackson2JsonCodec();
    }
}
