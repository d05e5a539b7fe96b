#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/along/ewma.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace purview::inline v0_1 {
namespace {

void require_decay(bool holds, const char* name, double value, const char* range) {
    if (!holds) throw Error(fmt::format("ewma: {} is {}, not {}", name, value, range));
}

/// As pandas computes it, by way of the centre of mass, so that rounding is the same.
double smoothing_of(const EwmaOptions& options) {
    if (options.alpha.has_value() + options.span.has_value() + options.halflife.has_value() +
            options.com.has_value() !=
        1)
        throw Error("ewma: exactly one of alpha, span, halflife and com says how weights decrease");
    double com = 0;
    if (options.alpha) {
        require_decay(*options.alpha > 0 && *options.alpha <= 1, "alpha", *options.alpha,
                      "in (0, 1]");
        com = (1 - *options.alpha) / *options.alpha;
    } else if (options.span) {
        require_decay(*options.span >= 1, "span", *options.span, "1 or more");
        com = (*options.span - 1) / 2;
    } else if (options.halflife) {
        require_decay(*options.halflife > 0, "halflife", *options.halflife, "greater than 0");
        com = 1 / (1 - std::exp(-std::numbers::ln2 / *options.halflife)) - 1;
    } else {
        require_decay(*options.com >= 0, "com", *options.com, "0 or more");
        com = *options.com;
    }
    return 1 / (1 + com);
}

/// The average so far, and the weight of what it holds next to a new element.
class DecayingAverage {
public:
    DecayingAverage(double alpha, const EwmaOptions& options)
        : factor_(1 - alpha),
          weight_of_new_(options.adjust ? 1 : alpha),
          adjust_(options.adjust),
          ignore_na_(options.ignore_na) {}

    double next(double x) {
        const bool known = std::isfinite(x); // pandas takes infinities for gaps
        if (std::isnan(average_)) {
            if (known) average_ = x;
            return average_;
        }
        if (!known && ignore_na_) return average_;
        weight_ *= factor_;
        if (!known) return average_;
        if (average_ != x) // what is constant stays so
            average_ = (weight_ * average_ + weight_of_new_ * x) / (weight_ + weight_of_new_);
        weight_ = adjust_ ? weight_ + weight_of_new_ : 1;
        return average_;
    }

private:
    double factor_;
    double weight_of_new_;
    bool adjust_;
    bool ignore_na_;
    double weight_ = 1;
    double average_ = std::numeric_limits<double>::quiet_NaN();
};

} // namespace

Operand ewma_of(const AxisParts& parts, const EwmaOptions& options) {
    const double alpha = smoothing_of(options);
    const Operand given = widened_operand(parts.operand);
    if (!given.dtype().is_builtin()) throw_dtype_unsupported("ewma", given.dtype());
    require_host_reads("ewma", given);
    const auto of = [&]<typename R>(std::type_identity<R>) {
        const MutableTensor<R> results = empty<R>(parts.operand.dims.max_shape());
        if (results.empty()) return results.operand();
        const Evaluation elements(cast_operand(given, kDType<R>, Op::cast),
                                  Reads::within_one_operation);
        R* out = as_span(results).data();
        CarriedStates<DecayingAverage> averages(parts, DecayingAverage(alpha, options));
        for (index_t group = 0; group < parts.groups; ++group, out += parts.length) {
            elements.read(group * parts.length, parts.length, out);
            DecayingAverage& average = averages[group];
            // In order, but in parts, between which Ctrl-C ends it.
            parallel_ranges(parts.length, 1, 0, [&](index_t begin, index_t end) {
                for (index_t i = begin; i < end; ++i)
                    out[i] = static_cast<R>(average.next(static_cast<double>(out[i])));
            });
        }
        return results.operand();
    };
    return given.dtype() == float32 ? of(std::type_identity<float>{})
                                    : of(std::type_identity<double>{});
}

} // namespace purview
