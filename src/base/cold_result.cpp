#include <purview/base/cold_result.hpp>

#include <exception>

namespace purview::inline v0_1 {
namespace {

thread_local std::exception_ptr kept;

} // namespace

void keep_exception() noexcept { kept = std::current_exception(); }
void throw_kept_exception() { std::rethrow_exception(std::exchange(kept, nullptr)); }

} // namespace purview
