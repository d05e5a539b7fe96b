// HDF5 and NetCDF-4 files. Of purview::hdf5.

#ifdef PURVIEW_PYTHON_HDF5

# include "hdf5_files.hpp"

# include "interpreter_lock.hpp"
# include "text_caster.hpp"

# include <purview/hdf5/open_hdf5.hpp>

# include <string>

namespace purview_python {

void bind_hdf5_files(nb::module_& module) {
    module.def("_open_hdf5", [](const std::string& path) {
        const Unlocked unlocked;
        return pv::open_hdf5(path);
    });
}

} // namespace purview_python

#endif
