// CUDA C++ for the editors of JupyterLab and Notebook 7: what cells of the session are made of, which no mode for C++ knows, and
// completion in the kernel's order. Images get the descriptions that outputs have for those who do not see them.
// Written by hand as the container that JupyterLab loads (module federation): it takes CodeMirror and the completer from
// JupyterLab, so that there is one copy of each, and needs no build.
(() => {
  "use strict";

  let shared;

  // The style sheets of outputs lie beside this file.
  function loadStyles(script) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL("jupyterlab.css", script).href;
    document.head.append(link);
  }
  if (document.currentScript) loadStyles(document.currentScript.src);

  // A package that JupyterLab shares, in the newest version there.
  async function load(name) {
    const versions = shared[name];
    if (!versions) throw new Error(`xeus-cuda: JupyterLab shares no ${name}`);
    const newest = Object.keys(versions).sort((a, b) => a.localeCompare(b, undefined, { numeric: true })).pop();
    return (await versions[newest].get())();
  }

  // --- Words ------------------------------------------------------------------------------------------------------

  const words = text => new Set(text.trim().split(/\s+/));
  const KEYWORDS = words(`
    alignas alignof asm auto break case catch class concept const const_cast consteval constexpr constinit continue
    decltype default delete do dynamic_cast else enum explicit export extern final for friend goto if inline mutable
    namespace new noexcept operator override private protected public register reinterpret_cast requires return sizeof
    static static_assert static_cast struct switch template this thread_local throw try typedef typeid typename union
    using virtual volatile while`);
  const QUALIFIERS = words(`
    __global__ __device__ __host__ __constant__ __shared__ __managed__ __grid_constant__ __restrict__ __forceinline__
    __noinline__ __inline__ __launch_bounds__ __maxnreg__ __cluster_dims__ __block_size__ __align__ __nv_pure__`);
  const TYPES = words(`
    bool char double float int long short signed unsigned void wchar_t char8_t char16_t char32_t size_t ptrdiff_t
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t dim3 half half2 bfloat16
    __half __half2 __nv_bfloat16 __nv_bfloat162 __nv_fp8_e4m3 __nv_fp8_e5m2 complex string span mdspan
    cudaStream_t cudaEvent_t cudaGraph_t cudaGraphExec_t cudaError_t cudaDeviceProp cudaTextureObject_t
    cudaSurfaceObject_t stream event graph texture surface`);
  const VECTOR = /^(?:u?(?:char|short|int|long|longlong)|float|double)[1-4](?:_16a|_32a)?$/;
  const BUILT_IN = words("threadIdx blockIdx blockDim gridDim warpSize");
  const ATOMS = words("true false nullptr NULL INFINITY NAN");
  const NUMBER = /^(?:0[xX][\da-fA-F'.]+(?:[pP][+-]?\d+)?|0[bB][01']+|(?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?)[a-zA-Z_]*/;
  // Cells in other languages, under these magics; their text is left as it is.
  const OTHER_LANGUAGES = /^%%(?:python|bash|sh|html|markdown|latex|svg|writefile)\b/;

  // Statements follow these commands in their line.
  const STATEMENTS = words("%alloc %launch %time %timeit");

  // --- The tokens of a cell ---------------------------------------------------------------------------------------

  // state.rest: how the text that began on an earlier line, or earlier in this one, goes on.
  function blockComment(stream, state) {
    if (stream.skipTo("*/")) {
      stream.match("*/");
      state.rest = null;
    } else {
      stream.skipToEnd();
    }
    return "comment";
  }

  const rawString = end => (stream, state) => {
    if (stream.skipTo(end)) {
      stream.match(end);
      state.rest = null;
    } else {
      stream.skipToEnd();
    }
    return "string";
  };

  function quoted(stream, quote) {
    for (let escaped = false; !stream.eol(); ) {
      const character = stream.next();
      if (character === quote && !escaped) break;
      escaped = !escaped && character === "\\";
    }
    return "string";
  }

  function withinParentheses({ open }) {
    return open.length > 0 && open[open.length - 1].end !== "}";
  }

  function magicLine(stream, state) {
    if (stream.eatSpace()) return null;
    if (!withinParentheses(state) && /\s/.test(stream.string[stream.pos - 1]) && stream.match(/^--?[A-Za-z][\w-]*/)) return "attributeName";
    if (state.statements) return code(stream, state);
    if (stream.match(/^\/\/.*/)) return "comment";
    const quote = stream.match(/^["']/);
    if (quote) return quoted(stream, quote[0]);
    if (stream.match(NUMBER)) return "number";
    if (stream.match(/^[A-Za-z_]\w*/)) return "variableName";
    stream.next();
    return null;
  }

  function lineStart(stream, state) {
    state.lineIndent = stream.indentation();
    state.magic = false;
    if (state.rest || state.foreign) return null;
    const line = stream.string;
    if (OTHER_LANGUAGES.test(line)) state.foreign = true;
    const starts = !withinParentheses(state);  // else the line goes on: % is a remainder there, and ! a negation
    if (starts && /^\s*%{1,2}[A-Za-z_]/.test(line)) {
      state.magic = true;
      stream.eatSpace();
      state.statements = STATEMENTS.has(stream.match(/^%{1,2}[A-Za-z_]\w*/)[0]);
      return "meta";
    }
    if (starts && /^\s*!/.test(line)) {
      stream.skipToEnd();
      return "meta";
    }
    const directive = stream.match(/^\s*#\s*[A-Za-z]*/);
    if (directive) {
      if (/include/.test(directive[0])) state.rest = includedFile;
      return "processingInstruction";
    }
    return null;
  }

  function includedFile(stream, state) {
    if (stream.eatSpace()) return null;
    state.rest = null;
    if (stream.match(/^<[^>]*>/) || stream.match(/^"[^"]*"/)) return "string";
    return code(stream, state);
  }

  const OPENING = { "{": "}", "(": ")", "[": "]" };

  function code(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.rest = blockComment;
      return blockComment(stream, state);
    }
    const raw = stream.match(/^(?:u8|u|U|L)?R"([^()\\\s]{0,16})\(/);
    if (raw) {
      state.rest = rawString(`)${raw[1]}"`);
      return state.rest(stream, state);
    }
    const quote = stream.match(/^(?:u8|u|U|L)?(["'])/);
    if (quote) return quoted(stream, quote[1]);
    if (stream.match("<<<")) {
      state.launches++;
      return "operatorKeyword";
    }
    if (state.launches > 0 && stream.match(">>>")) {  // elsewhere three templates end
      state.launches--;
      return "operatorKeyword";
    }
    if (stream.match(NUMBER)) return "number";
    const word = stream.match(/^[A-Za-z_]\w*/);
    if (word) return kindOfWord(stream, word[0]);
    const character = stream.next();
    if (OPENING[character]) {
      state.open.push({ end: OPENING[character], indent: state.lineIndent });
      return character === "{" ? "brace" : "bracket";
    }
    if (state.open.length > 0 && character === state.open[state.open.length - 1].end) {
      state.open.pop();
      return character === "}" ? "brace" : "bracket";
    }
    return /[-+*/%=<>!&|^~?:]/.test(character) ? "operator" : null;
  }

  function kindOfWord(stream, word) {
    if (QUALIFIERS.has(word)) return "modifier";
    if (KEYWORDS.has(word)) return "keyword";
    if (TYPES.has(word) || VECTOR.test(word)) return "variableName.special";  // JupyterLab has no colour for typeName
    if (BUILT_IN.has(word)) return "variableName.standard";
    if (ATOMS.has(word)) return "atom";
    return stream.match(/^\s*(?:\(|<<<)/, false) ? "variableName.function" : "variableName";
  }

  const cuda = {
    name: "cuda",
    startState: () => ({ rest: null, foreign: false, magic: false, statements: false, launches: 0, lineIndent: 0, open: [] }),
    copyState: state => ({ ...state, open: state.open.slice() }),
    token(stream, state) {
      if (stream.sol()) {
        const style = lineStart(stream, state);
        if (style) return style;
      }
      if (state.foreign && !state.magic) {
        stream.skipToEnd();
        return null;
      }
      if (state.rest) return state.rest(stream, state);
      return state.magic ? magicLine(stream, state) : code(stream, state);
    },
    indent(state, textAfter, context) {
      if (state.foreign || state.rest === blockComment) return null;
      const innermost = state.open[state.open.length - 1];
      if (!innermost) return 0;
      return innermost.indent + (textAfter.startsWith(innermost.end) ? 0 : context.unit);
    },
    languageData: {
      commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
      closeBrackets: { brackets: ["(", "[", "{", "'", '"'] },
      indentOnInput: /^\s*[})\]]$/,
    },
  };

  // --- Completion -------------------------------------------------------------------------------------------------

  const cut = (text, most) => (text.length > most ? text.slice(0, most - 1).trimEnd() + "…" : text);

  // "saxpy(float a, const float* x)" of "__global__ void saxpy(float a, const float* x)"; the name alone where nothing is called.
  function labelOf({ text, signature }) {
    const at = signature.indexOf(text + "(");
    const end = signature.lastIndexOf(")");
    return at < 0 || end < at ? text : cut(signature.slice(at, end + 1), 48);
  }

  // What follows in the second column: "kernel", "array float32 64", "function x * 2 to the n". No line can break in it.
  function detailOf({ text, type, signature, help }) {
    const said = help || (signature.includes(text + "(") ? "" : signature);
    return (said ? `${type} ${cut(said, 40)}` : type).replaceAll(" ", "\u00a0");
  }
  const COLOURS = 10;  // of JupyterLab, for the kinds of matches

  // JupyterLab sorts what its own providers find by the alphabet. The kernel knows better: it sends the user's own names first.
  function completionProvider({ CompleterModel, KernelCompleterProvider }) {
    class KernelsOrder extends CompleterModel {
      setCompletionItems(items) {
        this.ranks = new Map(items.map((item, rank) => [item.insertText ?? item.label, rank]));
        super.setCompletionItems(items);
      }
      // A kind has one colour, whatever follows it: JupyterLab takes a type's place in this list, modulo the number of colours.
      orderedTypes() {
        const places = [], kinds = [];
        for (const type of super.orderedTypes()) {
          const kind = type.split("\u00a0")[0];
          if (!kinds.includes(kind)) kinds.push(kind);
          let place = kinds.indexOf(kind) % COLOURS;
          while (place in places) place += COLOURS;
          places[place] = type;
        }
        return places;
      }
      completionItems() {
        const items = super.completionItems();
        const rank = item => this.ranks?.get(item.insertText) ?? Infinity;
        const query = this.query.toLowerCase();
        const begins = item => (item.insertText ?? "").toLowerCase().startsWith(query);
        return items.sort((a, b) => begins(b) - begins(a) || (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
      }
    }
    const isCuda = async context => (await context.session?.kernel?.info)?.language_info.name === "cuda";
    return new (class extends KernelCompleterProvider {
      constructor() {
        super();
        this.identifier = "CompletionProvider:xeus-cuda";
        this.rank = 2000;  // JupyterLab takes the model of the first provider alone; that of its debugger has 1000
      }
      isApplicable(context) {
        return isCuda(context);
      }
      async fetch(request, context) {
        const { content } = await context.session.kernel.requestComplete({ code: request.text, cursor_pos: request.offset });
        if (content.status !== "ok") throw new Error("xeus-cuda: the kernel has no answer to a completion");
        const matches = content.metadata._jupyter_types_experimental ?? [];
        const items = matches.map(match => ({ label: labelOf(match), insertText: match.text, type: detailOf(match) }));
        return { start: content.cursor_start, end: content.cursor_end, items };
      }
      async modelFactory(context) {
        return (await isCuda(context)) ? new KernelsOrder() : new CompleterModel();
      }
    })();
  }

  // --- The plugins ------------------------------------------------------------------------------------------------

  async function extension() {
    const { IEditorLanguageRegistry } = await load("@jupyterlab/codemirror");
    const completer = await load("@jupyterlab/completer");
    const completion = {
      id: "xeus-cuda:completion",
      description: "Completion in the kernel's order, with signatures and a line about each match",
      autoStart: true,
      requires: [completer.ICompletionProviderManager],
      activate(app, manager) {
        manager.registerProvider(completionProvider(completer));
      },
    };
    const language = {
      id: "xeus-cuda:language",
      description: "CUDA C++ in editors",
      autoStart: true,
      requires: [IEditorLanguageRegistry],
      activate(app, languages) {
        languages.addLanguage({
          name: "cuda",
          displayName: "CUDA C++",
          mime: "text/x-cuda",
          extensions: ["cu", "cuh"],
          async load() {
            const { LanguageSupport, StreamLanguage } = await load("@codemirror/language");
            return new LanguageSupport(StreamLanguage.define(cuda));
          },
        });
        app.docRegistry.addFileType({
          name: "cuda",
          displayName: "CUDA C++ File",
          extensions: [".cu", ".cuh"],
          mimeTypes: ["text/x-cuda"],
          fileFormat: "text",
        });
      },
    };
    const { imageRendererFactory, IRenderMimeRegistry } = await load("@jupyterlab/rendermime");
    const descriptions = {
      id: "xeus-cuda:descriptions",
      description: "Images with the alternative texts of their metadata",
      autoStart: true,
      requires: [IRenderMimeRegistry],
      activate(app, registry) {
        registry.addFactory({
          safe: true,
          mimeTypes: ["image/png"],
          defaultRank: imageRendererFactory.defaultRank,
          createRenderer(options) {
            const renderer = imageRendererFactory.createRenderer(options);
            const draw = renderer.render.bind(renderer);
            renderer.render = async model => {
              await draw(model);
              const image = renderer.node.querySelector("img"), alt = model.metadata["image/png"]?.alt;
              if (image && alt) image.alt = alt;
            };
            return renderer;
          },
        });
      },
    };
    return { __esModule: true, default: [language, completion, descriptions] };
  }

  const container = {
    init(scope) {
      shared = scope;
    },
    async get(module) {
      if (module !== "./extension") throw new Error(`xeus-cuda has no module ${module}`);
      const exports = await extension();
      return () => exports;
    },
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB["xeus-cuda"] = container;
})();
