#include "kernel_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <unistd.h>

namespace purview::inline v0_1::gpu::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernelMagic = "purview kernel 1\n";

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// A hash against accidents, not against somebody who looks for collisions: the folder is the user's own.
std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed) noexcept {
    std::uint64_t hash = seed ^ mixed(bytes.size() ^ 0x2d358dccaa6c78a5u, 0x8bb84b93962eacc9u);
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
        hash = mixed(hash ^ word, 0x9e3779b97f4a7c15u) ^ (hash << 1 | hash >> 63);
    }
    return mixed(hash, 0x4b33a62ed433d4a3u);
}

/// Whether a file of the folder was written here: it may be a folder with others in it.
bool is_own(std::string_view file) noexcept {
    constexpr std::size_t name = 32; // and what `write` appends to those aside
    return file.size() >= name &&
           file.substr(0, name).find_first_not_of("0123456789abcdef") == std::string_view::npos &&
           file.substr(name).find_first_not_of(".0123456789") == std::string_view::npos;
}

std::string_view text_of(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const char* variable(const char* name) noexcept {
    const char* const value = std::getenv(name);
    return value == nullptr || *value == '\0' ? nullptr : value;
}

std::string folder_of_process() {
    if (const char* const given = variable("PURVIEW_GPU_CACHE"))
        return std::string_view(given) == "off" ? std::string() : given;
    if (const char* const cache = variable("XDG_CACHE_HOME"))
        return std::string(cache) + "/purview/gpu";
    if (const char* const home = variable("HOME")) return std::string(home) + "/.cache/purview/gpu";
    return {};
}

} // namespace

KernelFiles& KernelFiles::of_process() {
    static auto& only = *new KernelFiles(folder_of_process());
    return only;
}

KernelFiles::KernelFiles(std::string folder, std::size_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
    if (folder_.empty()) {
        why_not_ = "PURVIEW_GPU_CACHE is off, or there is no home";
        return;
    }
    std::error_code error;
    fs::create_directories(folder_, error);
    if (::access(folder_.c_str(), W_OK) != 0)
        why_not_ = fmt::format("the folder '{}' cannot be written", folder_);
}

std::string KernelFiles::name_of(std::string_view source, std::string_view build_identity) {
    const std::string both = fmt::format("{}:{}{}", build_identity.size(), build_identity, source);
    return fmt::format("{:016x}{:016x}", hash_of(both, 1), hash_of(both, 2));
}

std::optional<std::vector<std::byte>> KernelFiles::read(const std::string& name) const noexcept {
    if (folder_.empty()) return std::nullopt;
    try {
        const fs::path path = fs::path(folder_) / name;
        std::ifstream in(path, std::ios::binary);
        if (!in) return std::nullopt;
        const std::string bytes(std::istreambuf_iterator<char>(in), {});
        std::uint64_t sum = 0;
        const std::size_t head = kKernelMagic.size() + sizeof sum;
        if (bytes.size() < head || !bytes.starts_with(kKernelMagic)) return std::nullopt;
        std::memcpy(&sum, bytes.data() + kKernelMagic.size(), sizeof sum);
        const std::string_view binary = std::string_view(bytes).substr(head);
        if (hash_of(binary, 3) != sum) return std::nullopt;
        std::error_code ignored; // when it was used last
        fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
        const auto* const first = reinterpret_cast<const std::byte*>(binary.data());
        return std::vector<std::byte>(first, first + binary.size());
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void KernelFiles::write(const std::string& name, std::span<const std::byte> binary) noexcept {
    if (!why_not_.empty()) return;
    static std::atomic<unsigned> count{0};
    try {
        const fs::path aside =
            fs::path(folder_) / fmt::format("{}.{}.{}", name, ::getpid(), ++count);
        const std::uint64_t sum = hash_of(text_of(binary), 3);
        std::ofstream out(aside, std::ios::binary | std::ios::trunc);
        out.write(kKernelMagic.data(), std::ssize(kKernelMagic));
        out.write(reinterpret_cast<const char*>(&sum), sizeof sum);
        out.write(reinterpret_cast<const char*>(binary.data()), std::ssize(binary));
        out.close();
        std::error_code error;
        if (out) fs::rename(aside, fs::path(folder_) / name, error);
        if (!out || error) {
            fs::remove(aside, error);
            return;
        }
        remove_oldest();
    } catch (const std::exception&) {
        return; // it is compiled again
    }
}

void KernelFiles::remove_oldest() const {
    struct File {
        fs::file_time_type used;
        std::size_t bytes;
        fs::path path;
    };
    std::vector<File> files;
    std::size_t bytes = 0;
    for (const fs::directory_entry& each : fs::directory_iterator(folder_)) {
        if (!is_own(each.path().filename().string())) continue;
        std::error_code error; // another process may have removed it
        File file{each.last_write_time(error), 0, each.path()};
        if (!error) file.bytes = each.file_size(error);
        if (error) continue;
        bytes += file.bytes;
        files.push_back(std::move(file));
    }
    std::ranges::sort(files, {}, &File::used);
    for (std::size_t i = 0; i < files.size() && bytes > most_bytes_; ++i) {
        std::error_code ignored;
        fs::remove(files[i].path, ignored);
        bytes -= files[i].bytes;
    }
}

} // namespace purview::gpu::detail
