// cusolverRf: the factors of matrices whose elements have the places, and whose pivots the order, of one that was
// factored before.
#pragma once

namespace xcuda::runtime::math {

int create_refactorisation(void** handle);
int destroy_refactorisation(void* handle);
int get_refactor_format(void* handle, int* format, int* diagonal);
int set_refactor_format(void* handle, int format, int diagonal);
int get_refactor_limits(void* handle, double* zero, double* boost);
int set_refactor_limits(void* handle, double zero, double boost);
int get_refactor_boost(void* handle, int* was_used);
int get_refactor_methods(void* handle, int* factors, int* solves);
int set_refactor_methods(void* handle, int factors, int solves);
int get_refactor_haste(void* handle, int* fast);
int set_refactor_haste(void* handle, int fast);

// From memory of the host.
int set_up_refactorisation(int n, int stored, int* starts, int* places, double* values, int lower, int* lower_starts,
                           int* lower_places, double* lower_values, int upper, int* upper_starts, int* upper_places,
                           double* upper_values, int* p, int* q, void* handle);
int set_up_refactorisation_there(int n, int stored, int* starts, int* places, double* values, int lower,
                                 int* lower_starts, int* lower_places, double* lower_values, int upper,
                                 int* upper_starts, int* upper_places, double* upper_values, int* p, int* q,
                                 void* handle);  // from memory of the device
int set_up_refactorisations(int count, int n, int stored, int* starts, int* places, double** values, int lower,
                            int* lower_starts, int* lower_places, double* lower_values, int upper, int* upper_starts,
                            int* upper_places, double* upper_values, int* p, int* q, void* handle);
int analyse_refactorisation(void* handle);
int reset_refactor_values(int n, int stored, int* starts, int* places, double* values, int* p, int* q, void* handle);
int reset_all_refactor_values(int count, int n, int stored, int* starts, int* places, double** values, int* p, int* q,
                              void* handle);
int refactor(void* handle);
int refactor_all(void* handle);
int refactor_zero_pivots(void* handle, int* positions);
int solve_refactored(void* handle, int* p, int* q, int columns, double* work, int work_leading, double* x, int leading);
int solve_all_refactored(void* handle, int* p, int* q, int columns, double* work, int work_leading, double** x,
                         int leading);
int access_bundled_factors(void* handle, int* stored, int** starts, int** places, double** values);  // on the device
// What the program frees with free().
int take_bundled_factors(void* handle, int* stored, int** starts, int** places, double** values);
int take_split_factors(void* handle, int* lower, int** lower_starts, int** lower_places, double** lower_values,
                       int* upper, int** upper_starts, int** upper_places, double** upper_values);

}  // namespace xcuda::runtime::math
