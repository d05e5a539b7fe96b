#include <purview/base/errors.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/dtype/visit.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

DType promote(DType a, DType b, const char* what) {
    if (a == b) return a;
    if (!a.is_builtin() && !b.is_builtin())
        throw DtypeError(fmt::format(
            "{}: {} and {} have no common type; cast one of them{}", what, a.name(), b.name(),
            a.name() == b.name() ? " (one counts local times, the other those of the system clock)"
                                 : ""));
    return visit_dtype(a, what, [&]<typename A>(std::type_identity<A>) {
        return visit_dtype(b, what, [&]<typename B>(std::type_identity<B>) -> DType {
            if constexpr (std::is_void_v<Promoted<A, B>>)
                throw DtypeError(fmt::format("{}: {} and {} have no common type; cast one of them",
                                             what, a.name(), b.name()));
            else
                return kDType<Promoted<A, B>>;
        });
    });
}

} // namespace purview
