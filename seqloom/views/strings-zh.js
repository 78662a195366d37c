// 中文。术语从教科书：注意力、词元、束搜索、隐状态、门。

export default {
  code: "zh",
  title: "seqloom 工作室",
  views: { weave: "织线", inside: "内部", whatif: "假如", runs: "训练", data: "数据", words: "词" },
  views_say: {
    weave: "模型作答时在看哪里",
    inside: "每个部件的图、公式、代码与数值",
    whatif: "换一个词或换一个模型，再比较",
    runs: "它是怎样训练出来的",
    data: "它在哪里出错",
    words: "词在空间中的位置",
  },
  ask: {
    model: "模型", key: "密钥", text: "输入文本", placeholder: "在此输入", another: "示例",
    wait: "正在加载模型……", took: (ms) => `${ms} 毫秒`, cut: "文本超出模型能读的长度，只显示开头部分。",
    was: (text) => `原来的输出：${text}`, same: "输出没有变化", back: "撤销",
    parameters: (count) => `${count} 个参数`, temperature: "温度", again: "重新采样", greedy: "总取概率最大者",
  },
  trouble: {
    gone: "服务器没有应答。恢复之后本页会自动继续。", back: "服务器已恢复。", key: "此服务器需要密钥。",
    empty: "输入几个词，模型就会作答。",
  },
  theme: { label: "配色", auto: "跟随系统", light: "浅色", dark: "深色" },
  language: "语言",
  saving: { save: "保存此图", svg: "图像 (SVG)", png: "图像 (PNG)", json: "数值 (JSON)", csv: "数值 (CSV)" },
  row: { source: "读入的词元", target: "写出的词元" },
  parts: { encoder: "编码器", decoder: "解码器", classifier: "分类器", tagger: "标注器", "language model": "语言模型" },
  groups: { cross: "输出对输入", encoder: "输入内部", decoder: "输出内部", self: "文本内部" },
  weave: {
    title: "织线", group: "哪种注意力", layer: "层", head: "头", key: "注意力权重",
    hint: "指向一个词，只留下它的线。方向键可沿着词元移动。",
    mean: (what) => `所有${what}`, nth: (what, number) => `第 ${number} ${what}`,
    target: (token, partner, weight) => `${token} 最关注 ${partner}，权重 ${weight}`,
    source: (token, partner, weight) => `最关注 ${token} 的是 ${partner}，权重 ${weight}`,
  },
  matrix: {
    title: "权重矩阵", says: "每一行之和为 1：一个词如何把注意力分配给输入中的各个词。",
    cell: (target, source, weight) => `${target} 给 ${source} 的权重是 ${weight}`,
    pooled: (tall, wide) => `按最大值池化：一格代表 ${tall} × ${wide} 个词元。`,
  },
  heads: {
    title: (layers, heads) => `${layers} 层，每层 ${heads} 个头`,
    hint: "每幅小图是一个头的注意力。关闭一个头，看输出如何变化。",
    order: "排序", byPlace: "按层", bySharp: "最集中的在前", mean: "显示全部平均",
    sharpness: "平均有多少注意力集中在单个词元上",
    name: (layer, head) => `${layer}.${head}`,
    look: (layer, head, sharp) => `第 ${layer} 层第 ${head} 个头：集中度 ${sharp.toFixed(2)}`,
    off: (layer, head) => `关闭第 ${layer} 层第 ${head} 个头`,
    says: (layer, head, sharp) => `最集中的是第 *${layer}* 层第 *${head}* 个头：平均有 ${sharp} 的注意力落在单个词元上。`,
  },
  steps: {
    title: "此处的候选词元", previous: "上一个词元", next: "下一个词元", hint: "另选一个词元，其后的内容会重新生成。",
    count: (at, of) => `${at} / ${of}`, undo: "恢复模型自己的输出", instead: (token) => `改写为 ${token}`,
    says: (token, p, next, q) => (next ? `*${token}* 的概率是 ${p}；其次是 *${next}*，${q}` : `*${token}* 的概率是 ${p}`),
  },
  tree: {
    title: "束搜索",
    says: (kept, lanes, depth) => `同时保留 ${lanes} 个假设，共 ${depth} 步；加粗的一条成为最终输出。`,
  },
  strips: {
    title: "门与状态随时间的变化", cell: "哪个单元", forward: "→", backward: "←",
    hint: "每列是一个词元，每行是一个单元。指向一列即可读数。",
    key: "门：0 关，1 开", signedKey: "状态：从 −1 到 1",
    says: (name, token, mean, kind) => (kind === "gate" ? `门 *${name}* 在 *${token}* 处开得最大：平均 ${mean}。` : `*${name}* 在 *${token}* 处最大：平均 ${mean}。`),
    at: (token, values) => `在 *${token}* 处的平均值：${values}`,
  },
  influence: {
    title: "到最后还记得什么",
    says: (strongest, first, part) => `*${strongest}* 对最后的状态影响最大；第一个词元 *${first}* 的影响是最后一个的 ${part}%。`,
  },
  salience: {
    title: "哪些词起了作用", method: "度量方法", left_out: "留一法", gradient: "梯度 × 输入",
    says: (token, value, label, method, helps) => `*${token}* ${helps ? "支持" : "反对"} *${label}*：${value}${method === "left_out" ? "（去掉它之后 logit 的变化）" : "（梯度 × 输入）"}`,
  },
  labels: { title: "各标签的概率" },
  tags: {
    title: "标注", others: "其他可能的标签", word: (word, tag, p) => `${word}：${tag}，${p}`,
    says: (word, tag, p, least) => (least ? `最没有把握的是 *${word}*：${tag}，${p}` : `*${word}* 是 ${tag}，${p}`),
  },
  surprise: {
    title: "逐词元的自信息", bits: (count) => `${count} 比特`, key: "自信息：概率的 −log₂",
    token: (token, p, bits) => `*${token}* 的概率是 ${p}：自信息 ${bits} 比特`,
    says: (mean, token, bits) => `平均每个词元 ${mean} 比特；最意外的是 *${token}*，${bits} 比特。`,
  },
  inside: { wait: "正在打开模型……" },
  tour: {
    start: "导览", next: "下一步", back: "上一步", end: "完成", step: (at, of) => `${at} / ${of}`, close: "结束导览",
    steps: [
      ["输入一段文本，输出一段文本", "模型逐个词元读入左边的文本，在右边写出答案。它怎么知道*下一个*该写什么？我们跟着一个词元看。"],
      ["注意力：它在看哪里", "写下面的每个词元时，模型都会回看上面的词元。*线越粗，看得越多*。这里是一个词元的线；指向别的词元，或按方向键。"],
      ["同样的内容，写成数值", "每条线都是 0 到 1 之间的一个数。*每一行之和为 1*：一个词元只有一份注意力，要分给输入中的所有词元。颜色最深的格子就是最粗的线。"],
      ["从“看”到“写”", "根据看到的内容，模型给词表中的每个词元一个*概率*，通常写出概率最大的那个。另选一个试试，看后面的内容如何随之改变。"],
      ["这一切都是算术", "这就是模型本身：图、公式和代码说的是同一件事。指向任意符号，就能看到*这段文本的数值*。方框可以打开。"],
    ],
  },
};
