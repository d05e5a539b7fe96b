// Whatever the text of a saved computation, loading it gives one, which is saved and loaded again as the same and can be
// called, or throws a `FormatError`. Text without a first line is that which follows it.

#include "saved_computation.hpp"

#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view given(reinterpret_cast<const char*>(data), size);
    fuzz::check_saved(given.starts_with("purview")
                          ? std::string(given)
                          : std::string("purview computation, version 1\n") += given);
    return 0;
}
