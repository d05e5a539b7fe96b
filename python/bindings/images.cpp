// PNG files. Of purview::image.

#ifdef PURVIEW_PYTHON_IMAGE

# include "images.hpp"

# include "as_array.hpp"
# include "computing.hpp"
# include "interpreter_lock.hpp"
# include "text_caster.hpp"

# include <purview/image/load_image.hpp>
# include <purview/image/save_image.hpp>

# include <string>

namespace purview_python {

void bind_images(nb::module_& module) {
    module.def("_load_image", [](const std::string& path) {
        const Unlocked unlocked;
        return pv::load_image(path);
    });
    module.def("_save_image", [](const std::string& path, nb::handle x) {
        const Array image = as_array(x);
        computing(steps(image.size(), 10), [&] { pv::save_png(path, image); });
    });
}

} // namespace purview_python

#endif
