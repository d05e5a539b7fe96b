// Whatever the bytes of a safetensors file, opening it gives arrays that take its bytes one after the other, or throws
// an `Error`; they can be read, and saved again as the same.

#include "dtype/stored_types.hpp"
#include "memory_file.hpp"

#include <purview/base/errors.hpp>
#include <purview/io/open_safetensors.hpp>
#include <purview/io/save_safetensors.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace pv = purview;

namespace {

using fuzz::MemoryFile;
using fuzz::require;
using fuzz::tried;

/// A folder of memory, where the system has one, that is gone with the process.
const std::string& written_path() {
    static const std::string path = [] {
        const char* const folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        static std::string name =
            std::string(folder) + "/purview_safetensors_fuzz_" + std::to_string(::getpid());
        std::atexit([] { ::unlink(name.c_str()); });
        return name;
    }();
    return path;
}

void check_same(const pv::AnyTensor& x, const pv::AnyTensor& y) {
    require(x.shape() == y.shape() && x.dtype() == y.dtype(), "what is saved has its shape");
    pv::visit_stored_dtype(x.dtype(), "fuzz", [&]<typename T>(std::type_identity<T>) {
        const pv::Tensor<T> a = x.as<T>();
        const pv::Tensor<T> b = y.as<T>();
        for (pv::index_t i = 0; i < a.size(); ++i) {
            const T p = a.read(i);
            const T q = b.read(i);
            require(std::memcmp(&p, &q, sizeof(T)) == 0, "what is saved is read again");
        }
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes = std::as_bytes(std::span(data, size));
    static const MemoryFile file("safetensors_fuzz");
    file.assign(bytes);
    const auto arrays = tried([&] { return pv::open_safetensors(file.path()); });
    if (!arrays) return 0;
    pv::index_t end = arrays->size() == 0 ? 0 : arrays->entries().front().offset;
    std::vector<pv::SafetensorsArray> all;
    for (const pv::SafetensorsEntry& each : *arrays) {
        require(each.offset == end && each.bytes >= 0, "each array begins where another ends");
        end += each.bytes;
        require(end <= static_cast<pv::index_t>(size), "arrays lie within the file");
        require(arrays->contains(each.name), "each has its name");
        if (auto x = tried([&] { return (*arrays)[each.name]; })) {
            require(x->size_bytes() == each.bytes, "elements take their bytes");
            all.emplace_back(each.name, *std::move(x));
        }
    }
    require(all.empty() || end == static_cast<pv::index_t>(size), "arrays take all bytes");
    pv::save_safetensors(written_path(), all, {.metadata = arrays->metadata()});
    const pv::SafetensorsFile again = pv::open_safetensors(written_path());
    require(again.size() == std::ssize(all) && again.metadata() == arrays->metadata(),
            "what is saved has the same arrays and texts");
    for (const auto& [name, values] : all) check_same(values, again[name]);
    return 0;
}
