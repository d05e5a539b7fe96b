// Files of sparse matrices: Matrix Market's, and SciPy's archives. Of purview::sparse.

#ifdef PURVIEW_PYTHON_SPARSE

# include "sparse_files.hpp"

# include "as_array.hpp"
# include "computing.hpp"
# include "dtypes.hpp"
# include "text_caster.hpp"
# include "truth.hpp"

# include <purview/base/errors.hpp>
# include <purview/dtype/visit.hpp>
# include <purview/sparse.hpp>

# include <string>

namespace purview_python {
namespace {

constexpr pv::index_t kFile = 1 << 16;

Array load_matrix_market(const std::string& path, nb::handle dtype) {
    const pv::MtxHeader header = pv::load_mtx_header(path);
    const pv::DType type = !dtype.is_none()                        ? dtype_of(dtype)
                           : header.field == pv::MtxField::integer ? pv::int64
                                                                   : pv::float64;
    return pv::visit_dtype(type, "load_mtx", [&]<typename T>(std::type_identity<T>) -> Array {
        if constexpr (pv::MtxValue<T>)
            return computing(kFile, [&]() -> Array {
                if (header.layout == pv::MtxLayout::array) return pv::load_mtx_array<T>(path);
                return pv::sparse_tensor(pv::load_mtx_coo<T>(path), pv::Duplicates::sum);
            });
        else
            pv::throw_dtype_unsupported("load_mtx", type);
    });
}

void save_matrix_market(const std::string& path, const Array& x) {
    pv::visit_dtype(x.dtype(), "save_mtx", [&]<typename T>(std::type_identity<T>) {
        if constexpr (pv::MtxValue<T>)
            computing(kFile, [&] { pv::save_mtx(path, pv::Tensor<T>(x.operand())); });
        else
            pv::throw_dtype_unsupported("save_mtx", x.dtype());
    });
}

} // namespace

void bind_sparse_files(nb::module_& module) {
    module.def("_load_mtx", &load_matrix_market, nb::arg("path"), nb::arg("dtype").none());
    module.def("_save_mtx", [](const std::string& path, nb::handle x) {
        save_matrix_market(path, as_array(x));
    });
    module.def("_load_sparse_npz", [](const std::string& path, nb::handle dtype) {
        return pv::visit_dtype(
            dtype_of(dtype), "load_sparse_npz", [&]<typename T>(std::type_identity<T>) -> Array {
                return computing(kFile, [&]() -> Array {
                    return pv::sparse_tensor(pv::load_npz_coo<T>(path), pv::Duplicates::sum);
                });
            });
    });
    module.def("_save_sparse_npz", [](const std::string& path, nb::handle x, Truth compressed) {
        const Array array = as_array(x);
        pv::visit_dtype(array.dtype(), "save_sparse_npz", [&]<typename T>(std::type_identity<T>) {
            computing(kFile, [&] {
                pv::save_npz(path, pv::Tensor<T>(array.operand()),
                             compressed ? pv::Compression::deflated : pv::Compression::stored);
            });
        });
    });
}

} // namespace purview_python

#endif
