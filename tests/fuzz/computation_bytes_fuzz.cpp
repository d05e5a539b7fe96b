// Whatever the bytes of a saved computation, loading them gives one, which is saved and loaded again as the same and can be
// called, or throws a `FormatError`. Bytes without a header are those that follow it.

#include "saved_computation.hpp"

#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view kHeader("\x89purview\r\n\x1a\n\1\0\0\0\1\0\0\0", 20);
    const std::string_view given(reinterpret_cast<const char*>(data), size);
    fuzz::check_saved(given.starts_with(kHeader.substr(0, 12)) ? std::string(given)
                                                               : std::string(kHeader) += given);
    return 0;
}
