
#include "along.hpp"
#include "archives_files.hpp"
#include "array_class.hpp"
#include "arrow_files.hpp"
#include "callbacks.hpp"
#include "catalogue.hpp"
#include "chunks.hpp"
#include "compile.hpp"
#include "creation.hpp"
#include "cycles.hpp"
#include "devices.hpp"
#include "dim_functions.hpp"
#include "dim_operators.hpp"
#include "dims.hpp"
#include "dtypes.hpp"
#include "elementwise.hpp"
#include "errors.hpp"
#include "fft.hpp"
#include "files.hpp"
#include "gradients.hpp"
#include "groups.hpp"
#include "hdf5_files.hpp"
#include "images.hpp"
#include "index_sets.hpp"
#include "indexing.hpp"
#include "interop.hpp"
#include "lanes.hpp"
#include "linalg.hpp"
#include "loops.hpp"
#include "manipulation.hpp"
#include "memory.hpp"
#include "operators.hpp"
#include "own_reducers.hpp"
#include "products.hpp"
#include "reductions.hpp"
#include "safetensors_files.hpp"
#include "saved.hpp"
#include "sparse.hpp"
#include "sparse_files.hpp"
#include "statistics.hpp"
#include "stored_files.hpp"
#include "strings.hpp"
#include "times.hpp"
#include "variables.hpp"
#include "windows.hpp"
#include "zarr_files.hpp"

#include <purview/base/export.hpp>

#include <string>
#include <vector>

namespace {

/// Raises ImportError except in the main interpreter: types and options are variables of the process, where a second one would put
/// its own in their place. nanobind has done so with its state by now: puts back that of the main interpreter.
void refuse_other_interpreters() {
    static auto* of_main = nanobind::detail::internals;
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) {
        of_main = nanobind::detail::internals;
        return;
    }
    nanobind::detail::internals = of_main;
    throw nanobind::import_error("purview: only the main interpreter of a process can import it");
}

} // namespace

NB_MODULE(_core, module) {
    using namespace purview_python;
    refuse_other_interpreters();
    std::vector<PyType_Slot> slots = {
        {Py_bf_getbuffer, reinterpret_cast<void*>(&fill_buffer)},
        {Py_bf_releasebuffer, reinterpret_cast<void*>(&release_buffer)}};
    add_operators(slots);
    add_indexing(slots);
    add_properties(slots);
    add_cycles(slots);
    slots.push_back({0, nullptr});
    // NumPy keeps a reference to an array whose __array_ufunc__ raises for reduce and accumulate: nanobind would print that at exit.
    nb::set_leak_warnings(false);
    const std::string version = std::to_string(PURVIEW_VERSION_MAJOR) + "." +
                                std::to_string(PURVIEW_VERSION_MINOR) + "." +
                                std::to_string(PURVIEW_VERSION_PATCH);
    module.attr("__version__") = version.c_str();
    module.def(
        "_type_changed",
        [](nb::handle type) { PyType_Modified(reinterpret_cast<PyTypeObject*>(type.ptr())); },
        nb::arg("type"));
    bind_errors(module);
    bind_dtypes(module);
    nb::class_<Array> array(
        module, "Array", nb::type_slots(slots.data()), nb::is_weak_referenceable(),
        "An n-dimensional array: memory, or an expression that is computed when it is read.");
    array_type = reinterpret_cast<PyTypeObject*>(array.ptr());
    bind_array(module, array);
    bind_interop(module, array);
    bind_callbacks(module);
    bind_compile(module);
    bind_gradients(module);
    bind_loops(module);
    bind_saved(module);
    bind_variables(module);
    std::vector<PyType_Slot> dim_slots;
    add_dim_operators(dim_slots);
    dim_slots.push_back({0, nullptr});
    bind_dims(module, dim_slots.data());
    bind_dim_functions(module);
    bind_elementwise(module);
    bind_reductions(module, array);
    bind_own_reducers(module);
    bind_statistics(module);
    bind_whole_arrays(module);
    bind_fft(module);
    bind_linalg(module);
    bind_lanes(module);
    bind_windows(module);
    bind_groups(module);
    bind_catalogue(module);
    bind_index_sets(module);
    bind_manipulation(module);
    bind_creation(module);
    bind_devices(module);
    bind_along(module);
    bind_files(module);
    bind_sparse(module, array);
    bind_strings(module);
    bind_times(module);
    bind_chunks(module);
    bind_stored_files(module);
    bind_safetensors_files(module);
#ifdef PURVIEW_PYTHON_SPARSE
    bind_sparse_files(module);
#endif
#ifdef PURVIEW_PYTHON_IMAGE
    bind_images(module);
#endif
#ifdef PURVIEW_PYTHON_ZARR
    bind_zarr_files(module);
#endif
#ifdef PURVIEW_PYTHON_HDF5
    bind_hdf5_files(module);
#endif
#ifdef PURVIEW_PYTHON_ARROW
    bind_arrow_files(module);
#endif
#ifdef PURVIEW_PYTHON_ARCHIVES
    bind_archives_files(module);
#endif
}
