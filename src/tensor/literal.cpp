#include <purview/tensor/literal.hpp>

namespace purview::inline v0_1 {

MutableTensor<index_t> tensor(IntegerList values) {
    return LiteralReader<IntegerLiteral>::read(values);
}
MutableTensor<index_t> tensor(std::initializer_list<IntegerList> values) {
    return LiteralReader<IntegerLiteral>::read(values);
}
MutableTensor<index_t> tensor(std::initializer_list<std::initializer_list<IntegerList>> values) {
    return LiteralReader<IntegerLiteral>::read(values);
}
MutableTensor<index_t>
tensor(std::initializer_list<std::initializer_list<std::initializer_list<IntegerList>>> values) {
    return LiteralReader<IntegerLiteral>::read(values);
}

} // namespace purview
