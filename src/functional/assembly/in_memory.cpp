#include <purview/functional/assembly/in_memory.hpp>

namespace purview::inline v0_1 {

Operand in_memory(const char* what, const Operand& x, DType dtype) {
    if (!x.dtype().is_builtin()) throw_dtype_unsupported(what, x.dtype());
    require_not_sparse(what, x);
    return contiguous(AnyTensor(cast_operand(x, dtype, Op::cast))).operand();
}

} // namespace purview
