#include "base/explained_call.hpp"

namespace purview::inline v0_1 {
namespace {

thread_local bool explained = false;

} // namespace

bool is_explained() noexcept { return explained; }
void end_explained(std::string how) {
    explained = false; // what is destroyed on the way may read
    throw ExplainedCall{std::move(how)};
}

std::string explain_call(FunctionRef<void()> call) {
    struct Leave {
        bool before = std::exchange(explained, true);
        ~Leave() { explained = before; }
    } leave;
    try {
        call();
    } catch (const ExplainedCall& ended) {
        return ended.how.ends_with('\n') ? ended.how : ended.how + "\n";
    }
    return "no chunks are read\n";
}

} // namespace purview
