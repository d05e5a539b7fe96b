#include "reader/usual_memory_limit.hpp"

#include "base/bytes_from_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>

#include <unistd.h>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kNoLimit = std::numeric_limits<index_t>::max();

std::string text_of_small_file(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The number in a file; "max", and what is missing, are no limit.
index_t limit_in(const std::string& path) {
    const std::string text = text_of_small_file(path);
    index_t bytes = kNoLimit;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    return error == std::errc() && bytes > 0 ? bytes : kNoLimit;
}

/// The least limit of a group and those that it is in: `folder` is that of the outermost.
index_t limit_along(const std::string& folder, std::string group, const char* file) {
    index_t least = limit_in(folder + "/" + file);
    while (group.size() > 1) {
        least = std::min(least, limit_in(folder + group + "/" + file));
        group.erase(group.rfind('/'));
    }
    return least;
}

} // namespace

index_t cgroup_memory(const std::string& membership, const std::string& root) {
    // Lines are `hierarchy:controllers:/group`; version 2 has hierarchy 0 and no controllers.
    index_t least = kNoLimit;
    std::istringstream lines(membership);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos || line[second + 1] != '/') continue;
        const std::string group = line.substr(second + 1);
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        if (controllers == ",,")
            least = std::min(least, limit_along(root, group, "memory.max"));
        else if (controllers.find(",memory,") != std::string::npos)
            least = std::min(least, limit_along(root + "/memory", group, "memory.limit_in_bytes"));
    }
    return least;
}

index_t available_memory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    // What the system does not tell is taken for 4 GiB.
    const index_t machine =
        pages > 0 && page_bytes > 0 ? index_t{pages} * page_bytes : index_t{4} << 30;
    return std::min(machine,
                    cgroup_memory(text_of_small_file("/proc/self/cgroup"), "/sys/fs/cgroup"));
}

index_t initial_memory_limit() {
    const char* const wanted = std::getenv("PURVIEW_MEMORY_LIMIT");
    if (wanted != nullptr && *wanted != '\0')
        return bytes_from_text("PURVIEW_MEMORY_LIMIT", wanted);
    return available_memory() / 4;
}

} // namespace purview
