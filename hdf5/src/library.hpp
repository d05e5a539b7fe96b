#pragma once

#include <purview/base/config.hpp>

#include <string>
#include <utility>

#include <hdf5.h>

namespace purview::inline v0_1::hdf5 {

/// While one lives, no other thread calls libhdf5, and it prints no errors. May be nested.
class Library {
public:
    Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library();

private:
    H5E_auto2_t printer_ = nullptr;
    void* printer_data_ = nullptr;
};

/// Something that is open in libhdf5.
class Handle {
public:
    Handle() = default;
    explicit Handle(hid_t id) noexcept : id_(id) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Handle();

    hid_t id() const noexcept { return id_; }
    explicit operator bool() const noexcept { return id_ >= 0; }

private:
    hid_t id_ = -1;
};

/// What libhdf5 says of the call that failed last: what it was to do, and the reason.
std::string error_message();
/// Throws a `FormatError` that begins with `where` and ends with that message.
[[noreturn]] void throw_library_error(const std::string& where);
/// The result of a call; throws where that is negative.
template <typename Result>
Result checked(Result result, const std::string& where) {
    if (result < 0) throw_library_error(where);
    return result;
}
inline Handle opened(hid_t id, const std::string& where) { return Handle(checked(id, where)); }

} // namespace purview::hdf5
