#pragma once

#include <string_view>

namespace purview::inline v0_1::engine {

/// The kernels of OpenBLAS that fit this processor, as `OPENBLAS_CORETYPE` names them. Empty where
/// OpenBLAS's own choice is left alone: processors without AVX2, and other architectures.
std::string_view fitting_blas_kernels();

/// Whether kernels of that name use the vectors that this processor has. True of names that are not
/// known.
bool fit_processor(std::string_view kernels);

/// Lets `getenv` find one variable more for as long as it exists. Other threads may read the
/// environment meanwhile: they find all that they would find, as another list of variables stands
/// in the place of the process's own. Children that are started later do not get the variable.
/// Not for two threads at once.
class VariableMeanwhile {
public:
    /// `text` is `NAME=value`, a literal.
    explicit VariableMeanwhile(const char* text);
    VariableMeanwhile(const VariableMeanwhile&) = delete;
    VariableMeanwhile& operator=(const VariableMeanwhile&) = delete;
    ~VariableMeanwhile();

private:
    const char* text_;
    char** own_;
    char** replaced_;
};

} // namespace purview::engine
