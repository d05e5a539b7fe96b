// New memory of the elements of arrays.

#include "copies.hpp"

#include "computing.hpp"
#include "tracing.hpp"

#include <purview/functional/assembly/sparse.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <type_traits>

namespace purview_python {

Array realised(const Array& x) {
    return allocating("realise", x.dtype(), x.dimensions().max_shape(), [&] {
        return computing(x.size(), [&] { return pv::dense_clone_tensor(x); });
    });
}

bool is_sparse(const Array& x) {
    return x.operand().node->reads(pv::Below::sparse) && pv::is_sparse(x);
}

Array copied(const Array& x) {
    if (is_tracing() && x.operand().node->reads(pv::Below::symbol)) return x; // has no elements yet
    if (!purview_python::is_sparse(x)) return realised(x);
    return computing(kStored, [&]() -> Array {
        if (!pv::is_complex(x.dtype())) return pv::clone_tensor(x);
        return visit_stored(x.dtype(), "copy", [&]<typename T>(std::type_identity<T>) -> Array {
            return pv::sparse_tensor<T>(x.dimensions().max_shape(),
                                        pv::realise_sparse<T>(x.operand(), "copy"));
        });
    });
}

} // namespace purview_python
