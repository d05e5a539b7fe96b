// Defines member.hpp.
// Orthogonal factors, singular values and eigenvalues.
#include "member.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::linalg {
namespace {

/// What a function of LAPACK says that it wants to work in. Said in float, a large size may have been rounded down.
template <typename T>
Int size_of_work(T said) {
    using P = Real<T>;
    const double size = std::nextafter(P(std::real(said)), std::numeric_limits<P>::infinity());
    return static_cast<Int>(std::clamp<double>(size, 1, std::numeric_limits<Int>::max()));
}
/// Of what has NaN or infinities LAPACK complains on the standard error, gives NaN, or does not end, by its version.
template <typename T>
bool are_finite(const T* x, std::size_t count) {
    return std::all_of(x, x + count, [](const T& each) {
        return std::isfinite(std::real(each)) && std::isfinite(std::imag(each));
    });
}
constexpr Outcome kNotFinite{Failure::not_converged, 0};
template <typename T>
Outcome run_gesdd(const Member<T>& member, const char* job, T* a, Real<T>* s, T* u, Int ldu, T* v,
                  Int ldv) {
    // Of the transpose: n rows.
    const Int m = static_cast<Int>(member.work.m), n = static_cast<Int>(member.work.n);
    const Int least = std::min(m, n), most = std::max(m, n);
    Int* const integers = member.scratch.integers(static_cast<std::size_t>(8 * least));
    Int info = 0, size = -1;
    T said{};
    if constexpr (kIsComplex<T>) {
        using F =
            void (*)(const char*, const Int*, const Int*, T*, const Int*, Real<T>*, T*, const Int*,
                     T*, const Int*, T*, const Int*, Real<T>*, Int*, Int*, Length);
        const auto f = reinterpret_cast<F>(member.library.gesdd);
        const auto k = static_cast<std::size_t>(least), l = static_cast<std::size_t>(most);
        Real<T>* const reals =
            member.scratch.reals(std::max(5 * k * k + 5 * k, 2 * l * k + 2 * k * k + k) + 7 * k);
        f(job, &n, &m, a, &n, s, u, &ldu, v, &ldv, &said, &size, reals, integers, &info, 1);
        size = size_of_work(said);
        f(job, &n, &m, a, &n, s, u, &ldu, v, &ldv,
          member.scratch.work(static_cast<std::size_t>(size)), &size, reals, integers, &info, 1);
    } else {
        using F = void (*)(const char*, const Int*, const Int*, T*, const Int*, T*, T*, const Int*,
                           T*, const Int*, T*, const Int*, Int*, Int*, Length);
        const auto f = reinterpret_cast<F>(member.library.gesdd);
        f(job, &n, &m, a, &n, s, u, &ldu, v, &ldv, &said, &size, integers, &info, 1);
        size = size_of_work(said);
        f(job, &n, &m, a, &n, s, u, &ldu, v, &ldv,
          member.scratch.work(static_cast<std::size_t>(size)), &size, integers, &info, 1);
    }
    return info == 0 ? Outcome{} : Outcome{Failure::not_converged, std::max(info - 1, 0)};
}

/// Of values alone where `vectors` is false; vectors take the place of the matrix, by columns.
template <typename T>
Outcome run_eigh(const Member<T>& member, bool vectors, T* a, Real<T>* values) {
    const Int n = static_cast<Int>(member.work.n);
    const char* const job = vectors ? "V" : "N";
    const char* const triangle = member.work.options.upper ? "L" : "U";
    Int info = 0, size = -1, integers_said = 0, integer_size = -1;
    T said{};
    if constexpr (kIsComplex<T>) {
        using F =
            void (*)(const char*, const char*, const Int*, T*, const Int*, Real<T>*, T*, const Int*,
                     Real<T>*, const Int*, Int*, const Int*, Int*, Length, Length);
        const auto f = reinterpret_cast<F>(member.library.eigh);
        Real<T> reals_said{};
        Int reals_size = -1;
        f(job, triangle, &n, a, &n, values, &said, &size, &reals_said, &reals_size, &integers_said,
          &integer_size, &info, 1, 1);
        size = size_of_work(said);
        reals_size = size_of_work(reals_said);
        integer_size = std::max(integers_said, 1);
        f(job, triangle, &n, a, &n, values, member.scratch.work(static_cast<std::size_t>(size)),
          &size, member.scratch.reals(static_cast<std::size_t>(reals_size)), &reals_size,
          member.scratch.integers(static_cast<std::size_t>(integer_size)), &integer_size, &info, 1,
          1);
    } else {
        using F = void (*)(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*,
                           Int*, const Int*, Int*, Length, Length);
        const auto f = reinterpret_cast<F>(member.library.eigh);
        f(job, triangle, &n, a, &n, values, &said, &size, &integers_said, &integer_size, &info, 1,
          1);
        size = size_of_work(said);
        integer_size = std::max(integers_said, 1);
        f(job, triangle, &n, a, &n, values, member.scratch.work(static_cast<std::size_t>(size)),
          &size, member.scratch.integers(static_cast<std::size_t>(integer_size)), &integer_size,
          &info, 1, 1);
    }
    return info == 0 ? Outcome{} : Outcome{Failure::not_converged, std::max(info - 1, 0)};
}

/// The values of the transpose, and its left vectors, which are conjugates of the right ones of the matrix.
template <typename T>
Outcome run_geev(const Member<T>& member, bool wants_vectors, std::complex<Real<T>>* values,
                 std::complex<Real<T>>* vectors) {
    using Z = std::complex<Real<T>>;
    const Int n = static_cast<Int>(member.work.n);
    const std::size_t count = member.n();
    T* const a = member.scratch.matrix(count * count);
    std::copy_n(member.a, count * count, a);
    const char* const job = wants_vectors ? "V" : "N";
    const Int one = 1;
    Int info = 0, size = -1;
    T said{}, nothing{};
    if constexpr (kIsComplex<T>) {
        using F = void (*)(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*,
                           T*, const Int*, T*, const Int*, Real<T>*, Int*, Length, Length);
        const auto f = reinterpret_cast<F>(member.library.geev);
        Real<T>* const reals = member.scratch.reals(2 * count);
        f(job, "N", &n, a, &n, values, vectors, &n, &nothing, &one, &said, &size, reals, &info, 1,
          1);
        size = size_of_work(said);
        f(job, "N", &n, a, &n, values, vectors, &n, &nothing, &one,
          member.scratch.work(static_cast<std::size_t>(size)), &size, reals, &info, 1, 1);
        for (std::size_t i = 0; i < count * count && wants_vectors; ++i)
            vectors[i] = std::conj(vectors[i]);
    } else {
        using F = void (*)(const char*, const char*, const Int*, T*, const Int*, T*, T*, T*,
                           const Int*, T*, const Int*, T*, const Int*, Int*, Length, Length);
        const auto f = reinterpret_cast<F>(member.library.geev);
        T* const left = member.scratch.other(count * count + 2 * count);
        T* const real = left + count * count;
        T* const imaginary = real + count;
        f(job, "N", &n, a, &n, real, imaginary, left, &n, &nothing, &one, &said, &size, &info, 1,
          1);
        size = size_of_work(said);
        f(job, "N", &n, a, &n, real, imaginary, left, &n, &nothing, &one,
          member.scratch.work(static_cast<std::size_t>(size)), &size, &info, 1, 1);
        for (std::size_t j = 0; j < count; ++j) {
            values[j] = Z(real[j], imaginary[j]);
            if (!wants_vectors || imaginary[j] < 0) continue;
            // A pair of values shares two columns.
            const T* const column = left + j * count;
            for (std::size_t i = 0; i < count; ++i) {
                const T part = imaginary[j] == 0 ? T(0) : column[count + i];
                vectors[j * count + i] = Z(column[i], -part);
                if (imaginary[j] > 0) vectors[(j + 1) * count + i] = Z(column[i], part);
            }
        }
    }
    return info == 0 ? Outcome{} : Outcome{Failure::not_converged, std::max(info - 1, 0)};
}

/// Vectors by columns to columns of a row-major matrix, each times what makes its largest component real and positive,
/// conjugated if asked for.
template <typename T>
void put_vectors(const T* from, std::size_t n, bool conjugates, T* to) {
    for (std::size_t j = 0; j < n; ++j) {
        const T phase = conjugate(phase_of_largest(from + j * n, n, 1));
        for (std::size_t i = 0; i < n; ++i) {
            const T value = from[j * n + i] * phase;
            to[i * n + j] = conjugates ? conjugate(value) : value;
        }
    }
}

} // namespace

template <typename T>
Outcome qr_member(const Member<T>& member) {
    const std::size_t m = member.m(), n = member.n(), k = std::min(m, n);
    const bool full = member.work.options.full;
    const std::size_t q_columns = full ? m : k, r_rows = full ? m : k;
    const Int rows = static_cast<Int>(n), columns = static_cast<Int>(m),
              factors_count = static_cast<Int>(k);
    T* const q = member.out(0);
    // The transpose is L Q' by columns: rows of it are those of R, and columns of Q. Where Q has its size, in the memory of Q.
    T* const a = q != nullptr && q_columns == n ? q : member.scratch.matrix(m * n);
    std::copy_n(member.a, m * n, a);
    T* const factors = member.scratch.third(2 * k);
    T* const phases = factors + k;
    Int info = 0, size = -1;
    T said{};
    member.library.gelqf(&rows, &columns, a, &rows, factors, &said, &size, &info);
    size = size_of_work(said);
    member.library.gelqf(&rows, &columns, a, &rows, factors,
                         member.scratch.work(static_cast<std::size_t>(size)), &size, &info);
    for (std::size_t i = 0; i < k; ++i) phases[i] = phase_of(a[i * n + i]);
    if (T* const r = member.out(1))
        for (std::size_t i = 0; i < r_rows; ++i)
            for (std::size_t j = 0; j < n; ++j)
                r[i * n + j] = i < k && j >= i ? (i == j ? T(std::abs(a[i * n + i]))
                                                         : conjugate(phases[i]) * a[i * n + j])
                                               : T(0);
    if (q == nullptr) return {};
    T* made = a;
    Int stride = rows;
    const Int q_rows = static_cast<Int>(q_columns);
    if (q_columns > n) {
        made = member.scratch.other(q_columns * m);
        stride = q_rows;
        for (std::size_t j = 0; j < m; ++j) std::copy_n(a + j * n, k, made + j * q_columns);
    }
    size = -1;
    member.library.make_q(&q_rows, &columns, &factors_count, made, &stride, factors, &said, &size,
                          &info);
    size = size_of_work(said);
    member.library.make_q(&q_rows, &columns, &factors_count, made, &stride, factors,
                          member.scratch.work(static_cast<std::size_t>(size)), &size, &info);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < q_columns; ++j)
            q[i * q_columns + j] =
                made[i * static_cast<std::size_t>(stride) + j] * (j < k ? phases[j] : T(1));
    return {};
}

template <typename T>
Outcome svd_member(const Member<T>& member) {
    const std::size_t m = member.m(), n = member.n(), k = std::min(m, n);
    if (!are_finite(member.a, m * n)) return kNotFinite;
    T* const a = member.scratch.matrix(m * n);
    std::copy_n(member.a, m * n, a);
    if (member.work.function == MatrixFunction::svdvals) {
        T nothing{};
        return run_gesdd(member, "N", a, static_cast<Real<T>*>(member.outs[0]), &nothing, 1,
                         &nothing, 1);
    }
    const bool full = member.work.options.full;
    const std::size_t rows_of_v = full ? n : k, columns_of_u = full ? m : k;
    // Of the transpose the left vectors are those on the right.
    T* const v = member.out(2) != nullptr ? member.out(2) : member.scratch.other(n * rows_of_v);
    T* const u = member.out(0) != nullptr ? member.out(0) : member.scratch.third(m * columns_of_u);
    std::vector<Real<T>> unwanted(member.outs[1] == nullptr ? k : 0);
    Real<T>* const s =
        member.outs[1] == nullptr ? unwanted.data() : static_cast<Real<T>*>(member.outs[1]);
    const Outcome outcome = run_gesdd(member, full ? "A" : "S", a, s, v, static_cast<Int>(n), u,
                                      static_cast<Int>(columns_of_u));
    if (outcome.failure != Failure::none) return outcome;
    const auto turn = [](T* x, std::size_t count, std::size_t stride, T by) {
        for (std::size_t i = 0; i < count; ++i) x[i * stride] *= by;
    };
    for (std::size_t j = 0; j < columns_of_u; ++j) {
        const T phase = phase_of_largest(u + j, m, columns_of_u);
        turn(u + j, m, columns_of_u, conjugate(phase));
        if (j < k) turn(v + j * n, n, 1, phase);
    }
    for (std::size_t j = k; j < rows_of_v; ++j)
        turn(v + j * n, n, 1, conjugate(phase_of_largest(v + j * n, n, 1)));
    return {};
}

template <typename T>
Outcome eigh_member(const Member<T>& member) {
    const std::size_t n = member.n();
    const bool values_alone = member.work.function == MatrixFunction::eigvalsh;
    for (std::size_t i = 0; i < n; ++i) { // of the triangle that is read
        const bool upper = member.work.options.upper;
        if (!are_finite(member.a + i * n + (upper ? i : 0), upper ? n - i : i + 1))
            return kNotFinite;
    }
    T* const a = member.scratch.matrix(n * n);
    std::copy_n(member.a, n * n, a);
    std::vector<Real<T>> unwanted(member.outs[0] == nullptr ? n : 0);
    Real<T>* const values =
        member.outs[0] == nullptr ? unwanted.data() : static_cast<Real<T>*>(member.outs[0]);
    const Outcome outcome = run_eigh(member, !values_alone, a, values);
    if (outcome.failure != Failure::none) return outcome;
    if (!values_alone && member.out(1) != nullptr) put_vectors(a, n, true, member.out(1));
    return {};
}

template <typename T>
Outcome eig_member(const Member<T>& member) {
    using Z = std::complex<Real<T>>;
    const std::size_t n = member.n();
    if (!are_finite(member.a, n * n)) return kNotFinite;
    const bool wants_vectors =
        member.work.function == MatrixFunction::eig && member.outs[1] != nullptr;
    std::vector<Z> unwanted(member.outs[0] == nullptr ? n : 0), vectors(wants_vectors ? n * n : 1);
    Z* const values = member.outs[0] == nullptr ? unwanted.data() : static_cast<Z*>(member.outs[0]);
    const Outcome outcome = run_geev(member, wants_vectors, values, vectors.data());
    if (outcome.failure != Failure::none) return outcome;
    if (wants_vectors) put_vectors(vectors.data(), n, false, static_cast<Z*>(member.outs[1]));
    return {};
}

#define PURVIEW_FOR(T)                           \
 template Outcome qr_member(const Member<T>&);   \
 template Outcome svd_member(const Member<T>&);  \
 template Outcome eigh_member(const Member<T>&); \
 template Outcome eig_member(const Member<T>&);
PURVIEW_FOR(float)
PURVIEW_FOR(double)
PURVIEW_FOR(std::complex<float>)
PURVIEW_FOR(std::complex<double>)
#undef PURVIEW_FOR

} // namespace purview::linalg
