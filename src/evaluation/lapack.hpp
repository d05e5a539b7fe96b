#pragma once

#include <purview/base/config.hpp>

namespace purview::inline v0_1 {

/// A function of BLAS or LAPACK by its name in Fortran: of the BLAS of this process, which OpenBLAS and MKL contain, or of
/// `liblapack` beside it. Null if there is none. Functions that are called within a `LapackCall` may be called from several
/// threads.
PURVIEW_EXPORT void* lapack_symbol(const char* name);

/// Exists while a thread calls LAPACK: a process that is forked meanwhile goes without it. Of several `threads`, which
/// are the library's own, one call at a time has them, if this process has loaded the library; others have one.
class PURVIEW_EXPORT LapackCall {
public:
    explicit LapackCall(int threads = 1) noexcept;
    ~LapackCall();
    LapackCall(const LapackCall&) = delete;
    LapackCall& operator=(const LapackCall&) = delete;

private:
    bool has_threads_ = false;
};

} // namespace purview
