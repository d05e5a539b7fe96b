#include <purview/io/stored_group.hpp>

#include <algorithm>
#include <cstddef>

namespace purview::inline v0_1 {

AnyTensor StoredGroup::Source::values(const std::string& path) const { return array(path).values; }

bool StoredGroup::Source::has_array(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    const std::vector<std::string> names =
        arrays(slash == std::string::npos ? "" : path.substr(0, slash));
    return std::find(names.begin(), names.end(), path.substr(slash + 1)) != names.end();
}

} // namespace purview
