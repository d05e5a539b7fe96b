#pragma once

#include <purview/base/errors.hpp>

#include <spng.h>

#include <fmt/format.h>

#include <memory>
#include <new>
#include <string>

namespace purview::inline v0_1 {

/// libspng's state for one file, whose errors are ours.
class PngContext {
public:
    PngContext(const char* what, const std::string& path, int flags)
        : what_(what), path_(path), context_(spng_ctx_new(flags), spng_ctx_free) {
        if (context_ == nullptr) throw std::bad_alloc();
    }
    spng_ctx* get() const { return context_.get(); }
    void check(int result) const {
        if (result == SPNG_EMEM) throw std::bad_alloc();
        if (result != SPNG_OK)
            fail(fmt::format("no PNG file, or a broken one: {}", spng_strerror(result)));
    }
    [[noreturn]] void fail(const std::string& reason) const {
        throw FormatError(fmt::format("{}: {}: {}", what_, path_, reason));
    }

private:
    const char* what_;
    const std::string& path_;
    std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context_;
};

} // namespace purview
