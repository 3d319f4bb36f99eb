package outbox.jackson3;

import outbox.jackson.CodecCases;
import outbox.util.JsonCodec;

class Jackson3JsonCodecTest extends CodecCases {

    @Override
    protected JsonCodec codec() {
        return new Jackson3JsonCodec();
    }
}
