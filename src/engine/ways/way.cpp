#include "engine/ways/way.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

constexpr std::array<std::pair<std::string_view, Way>, 16> kNames{
    {{"flat", Way::flat},
     {"product", Way::product},
     {"gathered_rows", Way::gathered_rows},
     {"windows", Way::windows},
     {"line_windows", Way::line_windows},
     {"outer_axes", Way::outer_axes},
     {"last_axis", Way::last_axis},
     {"rows", Way::rows},
     {"cells", Way::cells},
     {"copied", Way::copied},
     {"elementwise", Way::elementwise},
     {"boxes", Way::boxes},
     {"network", Way::network},
     {"chunks", Way::chunks},
     {"prepared", Way::prepared},
     {"time_tiles", Way::time_tiles}}};

std::atomic<Ways>& ways_now() {
    static std::atomic<Ways> ways = [] {
        const char* const wanted = std::getenv("PURVIEW_WAYS");
        return wanted == nullptr ? Ways::all() : Ways::parse(wanted);
    }();
    return ways;
}

} // namespace

Ways Ways::parse(std::string_view text) {
    Ways ways = text.starts_with('-') || text.empty() ? all() : plain();
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word == "plain") continue;
        const bool forbidden = word.starts_with('-');
        if (forbidden) word.remove_prefix(1);
        const auto* const found =
            std::ranges::find(kNames, word, &std::pair<std::string_view, Way>::first);
        if (found == kNames.end()) {
            std::string names;
            for (const auto& [name, way] : kNames) names.append(" ").append(name);
            throw Error(fmt::format("PURVIEW_WAYS: '{}' is none of plain{}", word, names));
        }
        ways = forbidden ? ways.without(found->second) : ways.with(found->second);
    }
    return ways;
}

Ways allowed_ways() { return ways_now().load(std::memory_order_relaxed); }
void set_ways(Ways ways) { ways_now() = ways.with(Ways::plain()); }

Ways& ways_taken() noexcept {
    thread_local Ways taken;
    return taken;
}

} // namespace purview::engine
