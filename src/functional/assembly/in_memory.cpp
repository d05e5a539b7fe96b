#include <purview/functional/assembly/in_memory.hpp>

namespace purview::inline v0_1 {

Operand in_memory(const char* what, const Operand& x) {
    require_not_sparse(what, x);
    require_host_reads(what, x);
    return x.node->reads(Below::device) ? copied_to_memory(x) : contiguous(AnyTensor(x)).operand();
}

Operand in_memory(const char* what, const Operand& x, DType dtype) {
    if (!x.dtype().is_builtin()) throw_dtype_unsupported(what, x.dtype());
    return in_memory(what, cast_operand(x, dtype, Op::cast));
}

} // namespace purview
