// Defines purview/arrow/open_arrow_file.hpp.
#include <purview/arrow/open_arrow_file.hpp>

#include "arrow_table.hpp"

namespace purview::inline v0_1 {

Columns open_arrow_file(const std::string& path, const ArrowFileOptions& options) {
    return opened_table(std::make_shared<const ipc::ArrowTable>(path, options.fill),
                        options.columns);
}

} // namespace purview
