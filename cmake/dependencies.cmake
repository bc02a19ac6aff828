# Foreign packages: Debian's names are in scripts/debian-packages.txt. CUDA is opened at run time; only its headers are needed here.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(MPI COMPONENTS C)  # optional: xcuda-mpi, for devices on several hosts

# CUDA's headers, from the toolkit that the build is given or finds; libraries are opened at run time.
file(GLOB XCUDA_WHEEL_INCLUDES "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu*/include"
     "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cuda_*/include")
find_path(XCUDA_CUDA_INCLUDE_DIR cuda.h
          HINTS ENV CUDA_HOME ENV CUDA_PATH ENV CONDA_PREFIX PATH_SUFFIXES include targets/x86_64-linux/include
          PATHS /usr/local/cuda/include /opt/cuda/include ${XCUDA_WHEEL_INCLUDES})
find_path(XCUDA_NVRTC_INCLUDE_DIR nvrtc.h
          HINTS ${XCUDA_CUDA_INCLUDE_DIR} ENV CUDA_HOME ENV CUDA_PATH ENV CONDA_PREFIX PATH_SUFFIXES include
          PATHS /usr/local/cuda/include /opt/cuda/include ${XCUDA_WHEEL_INCLUDES})
if(NOT XCUDA_CUDA_INCLUDE_DIR OR NOT XCUDA_NVRTC_INCLUDE_DIR)
  message(FATAL_ERROR "cuda.h and nvrtc.h are needed to build. Set CUDA_HOME to a CUDA toolkit (12.4 or newer), or run scripts/setup.")
endif()
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE ${XCUDA_CUDA_INCLUDE_DIR} ${XCUDA_NVRTC_INCLUDE_DIR})
