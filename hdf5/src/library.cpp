#include "library.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <mutex>

namespace purview::inline v0_1::hdf5 {
namespace {

/// libhdf5 is not made for threads, or has one lock itself.
std::recursive_mutex& library_mutex() {
    static auto* const mutex =
        new std::recursive_mutex; // arrays may be closed when the process ends
    return *mutex;
}

struct Messages {
    std::string reason;
    std::string task;
};

} // namespace

Library::Library() {
    library_mutex().lock();
    ::H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
    ::H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Library::~Library() {
    ::H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_);
    library_mutex().unlock();
}

Handle::~Handle() {
    if (id_ < 0) return;
    const Library library;
    ::H5Idec_ref(id_);
}

std::string error_message() {
    Messages messages;
    const auto add = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
        auto& found = *static_cast<Messages*>(data);
        const char* const text = error->desc == nullptr ? "" : error->desc;
        try {
            if (found.reason.empty()) found.reason = text;
            found.task = text;
        } catch (...) {
            return -1;
        }
        return 0;
    };
    ::H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, add, &messages);
    if (messages.reason.empty()) return "libhdf5 fails";
    if (messages.reason == messages.task) return messages.reason;
    return fmt::format("{}: {}", messages.task, messages.reason);
}

void throw_library_error(const std::string& where) {
    throw FormatError(fmt::format("{}: {}", where, error_message()));
}

} // namespace purview::hdf5
