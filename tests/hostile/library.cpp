#include "hostile/everything.hpp"

#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/create.hpp>

namespace {

/// Evaluates while the library is taken down, which may be after the other's.
struct Last {
    purview::Tensor<double> kept = purview::full({1000}, 1.);
    ~Last() {
        if (purview::sum(kept) == 1000.) hostile::evaluate_everything();
    }
};
Last last;

} // namespace

extern "C" __attribute__((visibility("default"))) void PURVIEW_TEST_NAME() {
    hostile::evaluate_everything();
}
