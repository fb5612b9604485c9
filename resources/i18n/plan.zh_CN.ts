<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AdaptersField</name>
    <message>
        <source>LoRA &amp;adapters</source>
        <translation>LoRA 适配器(&amp;A)</translation>
    </message>
    <message>
        <source>A folder or GGUF adapter on the host; NAME=FOLDER gives it another name.</source>
        <translation>主机上的适配器文件夹或 GGUF 文件；写成“名称=文件夹”可另取名称。</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>移除 {name}</translation>
    </message>
</context>
<context>
    <name>ArithmeticPanel</name>
    <message>
        <source>Per GPU. Each number opens to its formula, what went into it, and its source.</source>
        <translation>均为每块 GPU 的数值。点开任意一项，可查看其公式、输入值与出处。</translation>
    </message>
    <message>
        <source>Copy all of it</source>
        <translation>复制全部</translation>
    </message>
</context>
<context>
    <name>ContainerPanel</name>
    <message>
        <source>What exactly is started?</source>
        <translation>究竟会启动什么？</translation>
    </message>
    <message>
        <source>Point at a line to see what it does; click for its source.</source>
        <translation>指向一行可查看其作用，点击可查看依据。</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>Names the deployment and the profile.</source>
        <translation>同时作为部署和配置方案的名称。</translation>
    </message>
    <message>
        <source>Container as docker run</source>
        <translation>以 docker run 表示的容器</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>复制为</translation>
    </message>
    <message>
        <source>Copy as docker run</source>
        <translation>复制为 docker run</translation>
    </message>
    <message>
        <source>Copy as compose</source>
        <translation>复制为 compose</translation>
    </message>
    <message>
        <source>Copy as pitwall command</source>
        <translation>复制为 pitwall 命令</translation>
    </message>
</context>
<context>
    <name>DeploySheet</name>
    <message>
        <source>Deploy {name} on {host}?</source>
        <translation>在 {host} 上部署 {name}？</translation>
    </message>
    <message>
        <source>Deploy</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Simulated: nothing runs on real hardware.</source>
        <translation>模拟：不会在真实硬件上运行任何内容。</translation>
    </message>
    <message>
        <source>The image is fetched where it is missing, then one request is answered before it counts as serving. A start that fails leaves no container behind.</source>
        <translation>缺少镜像时会先拉取；成功回答一次请求之后才算开始服务。启动失败不会留下任何容器。</translation>
    </message>
    <message>
        <source>Container as docker run</source>
        <translation>以 docker run 表示的容器</translation>
    </message>
</context>
<context>
    <name>EnginePanel</name>
    <message>
        <source>Which engine, with which values?</source>
        <translation>用哪个引擎，取什么参数？</translation>
    </message>
    <message>
        <source>&amp;Context, tokens</source>
        <translation>上下文 token 数(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Requests at once</source>
        <translation>并发请求数(&amp;R)</translation>
    </message>
    <message>
        <source>Choose for me</source>
        <translation>替我选择</translation>
    </message>
    <message>
        <source>Which hardware would do?</source>
        <translation>什么样的硬件够用？</translation>
    </message>
    <message>
        <source>Why not the others</source>
        <translation>为何不选其他引擎</translation>
    </message>
    <message>
        <source>Better values, by measuring</source>
        <translation>通过实测找到更好的取值</translation>
    </message>
    <message>
        <source>Plans appear here as soon as there is a model.</source>
        <translation>选定模型后，方案会显示在这里。</translation>
    </message>
    <message>
        <source>No engine can serve this model here. The reasons below say what to change.</source>
        <translation>此主机上没有引擎能运行该模型。下面的原因说明了需要改变什么。</translation>
    </message>
    <message>
        <source>Take this one</source>
        <translation>采用此方案</translation>
    </message>
    <message>
        <source>Best match</source>
        <translation>最合适</translation>
    </message>
</context>
<context>
    <name>FlagsField</name>
    <message>
        <source>Engine &amp;flags of your own</source>
        <translation>自定义引擎参数(&amp;F)</translation>
    </message>
    <message>
        <source>As on the command line; they take the place of planned ones.</source>
        <translation>写法与命令行相同；会取代方案中的同名参数。</translation>
    </message>
    <message>
        <source>Write {flag}</source>
        <translation>改为 {flag}</translation>
    </message>
</context>
<context>
    <name>GoalPanel</name>
    <message>
        <source>What matters most?</source>
        <translation>最看重什么？</translation>
    </message>
    <message>
        <source>Numbers to meet, if there are any</source>
        <translation>需要达到的指标（可不填）</translation>
    </message>
    <message>
        <source>&amp;First token</source>
        <translation>首 token 时间(&amp;F)</translation>
    </message>
    <message>
        <source>TTFT, such as 500 ms</source>
        <translation>TTFT，如 500 ms</translation>
    </message>
    <message>
        <source>&amp;Per token</source>
        <translation>每 token 时间(&amp;P)</translation>
    </message>
    <message>
        <source>ITL, such as 20 ms</source>
        <translation>ITL，如 20 ms</translation>
    </message>
    <message>
        <source>&amp;Requests</source>
        <translation>并发请求(&amp;R)</translation>
    </message>
    <message>
        <source>at once, such as 64</source>
        <translation>如 64</translation>
    </message>
    <message>
        <source>&amp;Context</source>
        <translation>上下文(&amp;C)</translation>
    </message>
    <message>
        <source>tokens, such as 32k</source>
        <translation>token，如 32k</translation>
    </message>
    <message>
        <source>&amp;Answers</source>
        <translation>回答(&amp;A)</translation>
    </message>
    <message>
        <source>tokens, such as 1k</source>
        <translation>token 数，如 1k</translation>
    </message>
    <message>
        <source>&amp;Memory per GPU</source>
        <translation>每块 GPU 的显存(&amp;M)</translation>
    </message>
    <message>
        <source>at most, such as 40 GiB</source>
        <translation>上限，如 40 GiB</translation>
    </message>
    <message>
        <source>Time from sending a request to its first token</source>
        <translation>从发出请求到收到首个 token 的时间</translation>
    </message>
    <message>
        <source>Time between two tokens of one answer</source>
        <translation>同一回答中相邻两个 token 的间隔</translation>
    </message>
    <message>
        <source>How long answers get; the context has to hold them beside the prompt</source>
        <translation>回答的长度；上下文需同时容纳提示和回答</translation>
    </message>
    <message>
        <source>Take no more of each GPU than this, for example beside another model</source>
        <translation>每块 GPU 最多占用的显存，例如与其他模型共用时</translation>
    </message>
    <message>
        <source>&amp;Grammar or JSON schema</source>
        <translation>语法或 JSON schema(&amp;G)</translation>
    </message>
    <message>
        <source>Answers have to follow a grammar or a JSON schema</source>
        <translation>回答须符合语法或 JSON schema</translation>
    </message>
    <message>
        <source>&amp;Offered to others</source>
        <translation>对外提供(&amp;O)</translation>
    </message>
    <message>
        <source>The model&apos;s licence matters then</source>
        <translation>此时需关注模型许可</translation>
    </message>
</context>
<context>
    <name>HardwarePanel</name>
    <message>
        <source>O&amp;nly enough</source>
        <translation>只看够用的(&amp;N)</translation>
    </message>
    <message>
        <source>Leave out what is not enough; hosts of yours stay.</source>
        <translation>隐藏不够用的硬件；自己的主机始终显示。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the table</source>
        <translation>复制表格</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>重新计算</translation>
    </message>
    <message>
        <source>Which hardware would do</source>
        <translation>什么样的硬件够用</translation>
    </message>
    <message>
        <source>Drivers of hardware that you do not have are not known.</source>
        <translation>尚未拥有的硬件，其驱动版本未知，不参与判断。</translation>
    </message>
    <message>
        <source>Facts that could not be read: {hosts}.</source>
        <translation>无法读取以下主机的信息：{hosts}。</translation>
    </message>
    <message>
        <source>Looking through the hardware …</source>
        <translation>正在比较各种硬件…</translation>
    </message>
    <message>
        <source>It is answered as soon as there is a plan.</source>
        <translation>有了方案即可给出答案。</translation>
    </message>
    <message>
        <source>There is nothing to compare: no engine was refused for its size.</source>
        <translation>无可比较：没有引擎是因为显存不足而被排除的。</translation>
    </message>
</context>
<context>
    <name>LimitsPanel</name>
    <message>
        <source>What may the plan use?</source>
        <translation>方案可以使用哪些资源？</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>&amp;Leave the GPUs alone: use the CPU only</source>
        <translation>不使用 GPU，只用 CPU(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Engine</source>
        <translation>引擎(&amp;E)</translation>
    </message>
    <message>
        <source>None ticked: Pitwall takes the freest that fit.</source>
        <translation>不勾选则由 Pitwall 选取最空闲且放得下的。</translation>
    </message>
    <message>
        <source>Step 4 says why not the others.</source>
        <translation>其他引擎为何不选，见第 4 步。</translation>
    </message>
    <message>
        <source>&amp;Port on the host</source>
        <translation>主机端口(&amp;P)</translation>
    </message>
    <message>
        <source>Empty: the next free one, on loopback only.</source>
        <translation>留空：取下一个空闲端口，只绑定主机的回环地址。</translation>
    </message>
    <message>
        <source>The host&apos;s fingerprint is taken with the first plan.</source>
        <translation>首次制定方案时会采集主机指纹。</translation>
    </message>
    <message>
        <source>The host has {what}.</source>
        <translation>主机配置：{what}。</translation>
    </message>
    <message>
        <source>Any that fits</source>
        <translation>任何合适的引擎</translation>
    </message>
</context>
<context>
    <name>MemoryBars</name>
    <message>
        <source>Limit</source>
        <translation>上限</translation>
    </message>
</context>
<context>
    <name>MemoryPicture</name>
    <message>
        <source>Memory picture</source>
        <translation>显存示意图</translation>
    </message>
    <message>
        <source>Arithmetic</source>
        <translation>计算过程</translation>
    </message>
    <message>
        <source>Show how each number came about</source>
        <translation>查看每个数值是怎样算出来的</translation>
    </message>
</context>
<context>
    <name>ModelCheck</name>
    <message>
        <source>Measure the load time</source>
        <translation>测量加载时间</translation>
    </message>
    <message>
        <source>Reads up to 256 MiB of the weights from the disk; nothing is written.</source>
        <translation>从磁盘读取至多 256 MiB 权重，不写入任何内容。</translation>
    </message>
</context>
<context>
    <name>ModelPanel</name>
    <message>
        <source>Which model shall run?</source>
        <translation>要运行哪个模型？</translation>
    </message>
    <message>
        <source>&amp;Folder on the host</source>
        <translation>主机上的文件夹(&amp;F)</translation>
    </message>
    <message>
        <source>A folder with models below it, one model&apos;s folder, or a GGUF file.</source>
        <translation>存放多个模型的文件夹、单个模型的文件夹，或一个 GGUF 文件。</translation>
    </message>
    <message>
        <source>Find models</source>
        <translation>查找模型</translation>
    </message>
    <message>
        <source>Models found</source>
        <translation>找到的模型</translation>
    </message>
    <message>
        <source>Looking for models in {folder} …</source>
        <translation>正在 {folder} 中查找模型…</translation>
    </message>
    <message>
        <source>Connect the host to look for models on it.</source>
        <translation>连接主机后才能在其上查找模型。</translation>
    </message>
    <message>
        <source>Nothing of a model is copied: only its headers are read.</source>
        <translation>不会复制模型内容，只读取文件头。</translation>
    </message>
    <message>
        <source>No model was found in {folder}. A model is a folder with config.json and weights, or a GGUF file.</source>
        <translation>在 {folder} 中没有找到模型。模型应是含 config.json 和权重的文件夹，或一个 GGUF 文件。</translation>
    </message>
    <message>
        <source>Reading {path} …</source>
        <translation>正在读取 {path}…</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
</context>
<context>
    <name>Plan</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Starts a container in the background under this name; the name carries deployment and revision.</source>
        <translation>以此名称在后台启动容器；名称中包含部署名和修订版本。</translation>
    </message>
    <message>
        <source>A tiny first process passes signals on and clears up ended ones, so stopping works.</source>
        <translation>用一个极小的首进程转发信号并回收已结束的进程，使停止操作有效。</translation>
    </message>
    <message>
        <source>Not restarted by itself until it has answered sensibly once; then “unless-stopped”.</source>
        <translation>在成功给出一次合理回答之前不会自动重启；之后改为“unless-stopped”。</translation>
    </message>
    <message>
        <source>Runs as this user inside the container.</source>
        <translation>在容器内以此用户身份运行。</translation>
    </message>
    <message>
        <source>No process in the container can gain more rights than it started with.</source>
        <translation>容器内的任何进程都无法获得比启动时更多的权限。</translation>
    </message>
    <message>
        <source>Takes the kernel&apos;s special rights away that the engine does not need.</source>
        <translation>去掉引擎不需要的内核特权。</translation>
    </message>
    <message>
        <source>A special right that this engine needs.</source>
        <translation>此引擎所需的特权。</translation>
    </message>
    <message>
        <source>Hands over exactly these GPUs by UUID, through CDI: an index could change.</source>
        <translation>通过 CDI 按 UUID 精确交付这些 GPU：序号可能会变。</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s runtime hands the GPUs over that the next line names.</source>
        <translation>由 NVIDIA 运行时交付下一行指定的 GPU。</translation>
    </message>
    <message>
        <source>Hands over exactly these GPUs by UUID.</source>
        <translation>按 UUID 精确交付这些 GPU。</translation>
    </message>
    <message>
        <source>Published on the host&apos;s own loopback only; a tunnel makes it reachable from here. Without a number the host picks a free port.</source>
        <translation>仅发布在主机自身的回环地址上，通过隧道可从本机访问。不写端口号时由主机选取空闲端口。</translation>
    </message>
    <message>
        <source>Shared memory for the engine&apos;s processes, in bytes; Docker&apos;s 64 MiB are too few.</source>
        <translation>引擎各进程的共享内存，单位为字节；Docker 默认的 64 MiB 太小。</translation>
    </message>
    <message>
        <source>Upper limit of main memory, in bytes.</source>
        <translation>内存上限，单位为字节。</translation>
    </message>
    <message>
        <source>Upper limit of processes and threads.</source>
        <translation>进程与线程数的上限。</translation>
    </message>
    <message>
        <source>The log is cut into files of limited size and number, so it never fills the disk.</source>
        <translation>日志按大小和个数分割，不会占满磁盘。</translation>
    </message>
    <message>
        <source>Says what this container is: Pitwall, here or elsewhere, finds it again by its labels.</source>
        <translation>标明此容器的身份：任何一处的 Pitwall 都能凭标签再次找到它。</translation>
    </message>
    <message>
        <source>The engine&apos;s image, pinned when it is deployed.</source>
        <translation>引擎的镜像，部署时会锁定版本。</translation>
    </message>
    <message>
        <source>The model&apos;s folder inside the container.</source>
        <translation>模型在容器内的文件夹。</translation>
    </message>
    <message>
        <source>Part of the engine&apos;s own command.</source>
        <translation>引擎自身命令的一部分。</translation>
    </message>
    <message>
        <source>Exactly these GPUs, by UUID: an index could change.</source>
        <translation>按 UUID 精确指定 GPU：序号可能会变。</translation>
    </message>
    <message>
        <source>The API key; its value is made at the start and never stands in a command.</source>
        <translation>API 密钥；其值在启动时生成，绝不出现在命令中。</translation>
    </message>
    <message>
        <source>A variable that the engine reads.</source>
        <translation>引擎读取的环境变量。</translation>
    </message>
    <message>
        <source>The model&apos;s folder, read-only: the container cannot change it.</source>
        <translation>模型文件夹，只读挂载：容器无法修改。</translation>
    </message>
    <message>
        <source>Takes as many GPUs, the freest ones.</source>
        <translation>使用同样数量、最空闲的 GPU。</translation>
    </message>
    <message>
        <source>1 to 40 of a-z, 0-9 and hyphens; no hyphen first or last.</source>
        <translation>1 至 40 个 a-z、0-9 或连字符，首尾不能是连字符。</translation>
    </message>
    <message>
        <source>Not a time such as 200 ms.</source>
        <translation>不是时间，应如 200 ms。</translation>
    </message>
    <message>
        <source>Not a size such as 40 GiB.</source>
        <translation>不是有效的大小，例如 40 GiB。</translation>
    </message>
    <message>
        <source>A quotation mark is not closed.</source>
        <translation>引号没有成对。</translation>
    </message>
    <message>
        <source>Not a port from 1 to 65535.</source>
        <translation>端口应在 1 至 65535 之间。</translation>
    </message>
    <message>
        <source>Not a number such as 32k.</source>
        <translation>不是整数，应如 32k。</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV cache</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>In all, as the engine sees it</source>
        <translation>总量（引擎所见）</translation>
    </message>
    <message>
        <source>Limit: what the engine may use</source>
        <translation>上限：引擎可用的显存</translation>
    </message>
    <message>
        <source>Other: CUDA and libraries</source>
        <translation>其他：CUDA 与各类库</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>KV cache per token</source>
        <translation>每个 token 的 KV cache</translation>
    </message>
    <message>
        <source>Tokens in the KV cache</source>
        <translation>KV cache 可容纳的 token 数</translation>
    </message>
    <message>
        <source>Requests of full length at once</source>
        <translation>可同时处理的满长度请求数</translation>
    </message>
    <message>
        <source>calculated</source>
        <translation>按公式计算</translation>
    </message>
    <message>
        <source>calibrated on measurements</source>
        <translation>按实测校准</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>learned from starts here</source>
        <translation>从此处以往的启动中学到</translation>
    </message>
    <message>
        <source>Settings: corrections of memory estimates</source>
        <translation>设置：显存估算的修正</translation>
    </message>
    <message>
        <source>all − weights − activations − KV cache − graphs − other</source>
        <translation>总量 − 权重 − 激活值 − KV cache − CUDA 图 − 其他</translation>
    </message>
    <message>
        <source>tokens in the KV cache ÷ context</source>
        <translation>KV cache 的 token 数 ÷ 上下文长度</translation>
    </message>
    <message>
        <source>within ± {percent} %</source>
        <translation>误差 ±{percent} %</translation>
    </message>
    <message>
        <source>Fewer GPUs than the plan needs.</source>
        <translation>GPU 数量少于方案所需。</translation>
    </message>
    <message>
        <source>The attention heads cannot be divided over so many GPUs.</source>
        <translation>注意力头数无法平均分到这么多 GPU 上。</translation>
    </message>
    <message>
        <source>The weights alone are too large.</source>
        <translation>仅权重就已放不下。</translation>
    </message>
    <message>
        <source>No room is left for the KV cache.</source>
        <translation>没有空间留给 KV cache。</translation>
    </message>
    <message>
        <source>One request of this length does not fit into the KV cache.</source>
        <translation>KV cache 容不下一个这样长的请求。</translation>
    </message>
    <message>
        <source>The context is longer than the model was made for.</source>
        <translation>上下文超出了模型的设计长度。</translation>
    </message>
    <message>
        <source>The model does not say how long its context may be.</source>
        <translation>模型没有说明上下文的最大长度。</translation>
    </message>
    <message>
        <source>Not all requests fit at full length: the rest waits.</source>
        <translation>并非所有请求都能以最大长度同时容纳：其余请求需排队。</translation>
    </message>
    <message>
        <source>Others hold memory that the plan wants.</source>
        <translation>方案所需的显存被其他程序占用。</translation>
    </message>
    <message>
        <source>How much memory there is is not known.</source>
        <translation>不知道有多少显存。</translation>
    </message>
    <message>
        <source>CUDA graphs do not fit beside the rest.</source>
        <translation>除其余部分外放不下 CUDA 图。</translation>
    </message>
    <message>
        <source>CUDA graphs come on top of the limit; little is left beside them.</source>
        <translation>CUDA 图在上限之外另行占用，剩余空间很少。</translation>
    </message>
    <message>
        <source>Main memory is too small.</source>
        <translation>内存太小。</translation>
    </message>
    <message>
        <source>The model generates no text.</source>
        <translation>该模型不生成文本。</translation>
    </message>
    <message>
        <source>Outside what was measured: the estimate is less certain.</source>
        <translation>超出实测范围：估算的把握较低。</translation>
    </message>
    <message>
        <source>This engine was not measured: the estimate is rough.</source>
        <translation>未实测过此引擎：估算较粗略。</translation>
    </message>
    <message>
        <source>The vision part is not counted.</source>
        <translation>未计入视觉部分。</translation>
    </message>
    <message>
        <source>The prompt cache takes main memory.</source>
        <translation>提示词缓存占用内存。</translation>
    </message>
    <message>
        <source>The architecture is not known: sizes may be off.</source>
        <translation>未知架构：各项大小可能有偏差。</translation>
    </message>
    <message>
        <source>The quantization is not known: counted as if there were none.</source>
        <translation>未知的量化方法：按未量化计算。</translation>
    </message>
    <message>
        <source>Memory per GPU</source>
        <translation>每块 GPU 的显存</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>RAM</translation>
    </message>
    <message>
        <source>Main memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Whether it fits is not known</source>
        <translation>不知道能否放下</translation>
    </message>
    <message>
        <source>Does not fit: {size} lacking</source>
        <translation>放不下：还差 {size}</translation>
    </message>
    <message>
        <source>{tokens} KV tokens · {count} requests of full length at once</source>
        <translation>KV cache {tokens} token · 可同时容纳 {count} 个满长度请求</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>{gpu}: memory not reported</source>
        <translation>{gpu}：未报告显存</translation>
    </message>
    <message>
        <source>{gpu}, {total} in all: {parts}</source>
        <translation>{gpu}，共 {total}：{parts}</translation>
    </message>
    <message>
        <source>The engine may use {size}.</source>
        <translation>引擎最多可用 {size}。</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Constraints</source>
        <translation>约束</translation>
    </message>
    <message>
        <source>Engine and values</source>
        <translation>引擎与参数</translation>
    </message>
    <message>
        <source>Container</source>
        <translation>容器</translation>
    </message>
    <message>
        <source>CPU only</source>
        <translation>仅用 CPU</translation>
    </message>
    <message>
        <source>GPUs chosen: {count}</source>
        <translation>已选 {count} 块 GPU</translation>
    </message>
    <message>
        <source>only {engine}</source>
        <translation>仅 {engine}</translation>
    </message>
    <message>
        <source>adapters: {count}</source>
        <translation>适配器：{count}</translation>
    </message>
    <message>
        <source>own flags</source>
        <translation>自定义参数</translation>
    </message>
    <message>
        <source>port {port}</source>
        <translation>端口 {port}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Many users at once</source>
        <translation>大量并发用户</translation>
    </message>
    <message>
        <source>Quick answers</source>
        <translation>响应快</translation>
    </message>
    <message>
        <source>Long contexts</source>
        <translation>长上下文</translation>
    </message>
    <message>
        <source>Multi-step work</source>
        <translation>多步任务</translation>
    </message>
    <message>
        <source>Little memory</source>
        <translation>节省显存</translation>
    </message>
    <message>
        <source>Best answers</source>
        <translation>回答质量</translation>
    </message>
    <message>
        <source>Most tokens per second in all</source>
        <translation>总吞吐最高</translation>
    </message>
    <message>
        <source>First token soon, no pauses</source>
        <translation>首 token 快，输出不停顿</translation>
    </message>
    <message>
        <source>Long documents in one request</source>
        <translation>单个请求可含长文档</translation>
    </message>
    <message>
        <source>Agents: many calls, same start</source>
        <translation>智能体：大量前缀相同的调用</translation>
    </message>
    <message>
        <source>Leave room, or just about fit</source>
        <translation>留出余量，或勉强放下</translation>
    </message>
    <message>
        <source>Weights and KV cache unreduced</source>
        <translation>权重与 KV cache 不降精度</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>inactive project, no image</source>
        <translation>项目已停更，无镜像</translation>
    </message>
    <message>
        <source>no plans for it yet</source>
        <translation>暂无方案</translation>
    </message>
    <message>
        <source>reads another format</source>
        <translation>格式不支持</translation>
    </message>
    <message>
        <source>another one was asked for</source>
        <translation>指定了其他引擎</translation>
    </message>
    <message>
        <source>generates no text</source>
        <translation>不生成文本</translation>
    </message>
    <message>
        <source>no container engine</source>
        <translation>没有容器引擎</translation>
    </message>
    <message>
        <source>container engine refuses</source>
        <translation>容器引擎拒绝访问</translation>
    </message>
    <message>
        <source>needs a GPU</source>
        <translation>需要 GPU</translation>
    </message>
    <message>
        <source>other processor type</source>
        <translation>处理器类型不符</translation>
    </message>
    <message>
        <source>GPU not supported</source>
        <translation>不支持该 GPU</translation>
    </message>
    <message>
        <source>driver too old</source>
        <translation>驱动太旧</translation>
    </message>
    <message>
        <source>no image for this host</source>
        <translation>没有适合此主机的镜像</translation>
    </message>
    <message>
        <source>would have to be built first</source>
        <translation>需事先构建引擎</translation>
    </message>
    <message>
        <source>takes one file only</source>
        <translation>只接受单个文件</translation>
    </message>
    <message>
        <source>containers get no GPU</source>
        <translation>容器无法使用 GPU</translation>
    </message>
    <message>
        <source>quantization dropped</source>
        <translation>已不支持该量化</translation>
    </message>
    <message>
        <source>quantization needs a newer GPU</source>
        <translation>该量化需要更新的 GPU</translation>
    </message>
    <message>
        <source>quantization not for CPUs</source>
        <translation>该量化不支持 CPU</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>cannot be divided</source>
        <translation>无法切分</translation>
    </message>
    <message>
        <source>context beyond the model</source>
        <translation>上下文超出模型</translation>
    </message>
    <message>
        <source>float16 overflows here</source>
        <translation>float16 会溢出</translation>
    </message>
    <message>
        <source>takes no LoRA adapters</source>
        <translation>不支持 LoRA</translation>
    </message>
    <message>
        <source>other adapter format</source>
        <translation>适配器格式不支持</translation>
    </message>
    <message>
        <source>takes one adapter only</source>
        <translation>只支持一个适配器</translation>
    </message>
    <message>
        <source>adapter rank too high</source>
        <translation>适配器秩过高</translation>
    </message>
    <message>
        <source>takes no DoRA</source>
        <translation>不支持 DoRA</translation>
    </message>
    <message>
        <source>adapter brings whole modules</source>
        <translation>适配器含完整模块</translation>
    </message>
    <message>
        <source>takes other flags</source>
        <translation>不接受这些参数</translation>
    </message>
    <message>
        <source>GPUs differ</source>
        <translation>GPU 不一致</translation>
    </message>
    <message>
        <source>does not divide</source>
        <translation>无法整除</translation>
    </message>
    <message>
        <source>not on this GPU</source>
        <translation>该 GPU 不支持</translation>
    </message>
    <message>
        <source>no weights</source>
        <translation>没有权重</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>from the config only</source>
        <translation>仅来自配置</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>KV heads × width</source>
        <translation>KV 头数 × 宽度</translation>
    </message>
    <message>
        <source>Smallest that is enough: {hardware}</source>
        <translation>够用的最小配置：{hardware}</translation>
    </message>
    <message>
        <source>None of these is enough.</source>
        <translation>以下硬件都不够用。</translation>
    </message>
    <message>
        <source>Others held {size} on the fullest GPU.</source>
        <translation>占用最多的 GPU 上，其他程序占了 {size}。</translation>
    </message>
    <message>
        <source>As of {time}.</source>
        <translation>数据时间：{time}。</translation>
    </message>
    <message>
        <source>Enough</source>
        <translation>够用</translation>
    </message>
    <message>
        <source>Not known. {reason}</source>
        <translation>未知。{reason}</translation>
    </message>
    <message>
        <source>Too few GPUs</source>
        <translation>GPU 数量不足</translation>
    </message>
    <message>
        <source>Heads do not divide</source>
        <translation>注意力头无法均分</translation>
    </message>
    <message>
        <source>Weights too large</source>
        <translation>权重放不下</translation>
    </message>
    <message>
        <source>No room for KV</source>
        <translation>放不下 KV cache</translation>
    </message>
    <message>
        <source>Context too long</source>
        <translation>上下文过长</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>显存已被占用</translation>
    </message>
    <message>
        <source>Graphs do not fit</source>
        <translation>放不下 CUDA 图</translation>
    </message>
    <message>
        <source>Too little RAM</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>{engine}, {count} requests of {tokens} tokens at once. What cannot run it is greyed.</source>
        <translation>按 {engine}、同时 {count} 个请求、每个 {tokens} token 计算；无法运行的显示为灰色。</translation>
    </message>
    <message>
        <source>Counted in {dtype}: the GPU needs it.</source>
        <translation>按 {dtype} 计算：该 GPU 只能用此类型。</translation>
    </message>
    <message>
        <source>Tokens within ± {percent} %.</source>
        <translation>token 数误差 ±{percent} %。</translation>
    </message>
    <message>
        <source>Smallest enough</source>
        <translation>够用的最小配置</translation>
    </message>
    <message>
        <source>Too few at once</source>
        <translation>并发不足</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>Longest context</source>
        <translation>最大上下文</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count} token</translation>
    </message>
    <message>
        <source>The model&apos;s own limit.</source>
        <translation>已达模型自身的上限。</translation>
    </message>
    <message>
        <source>One request of this length still fits.</source>
        <translation>这么长的请求仍能放下一个。</translation>
    </message>
    <message>
        <source>Most requests at once</source>
        <translation>最多并发请求数</translation>
    </message>
    <message>
        <source>Each of full length, {count} tokens.</source>
        <translation>每个都按满长度 {count} token 计。</translation>
    </message>
    <message>
        <source>Fewest GPUs like these</source>
        <translation>至少需要几块同款 GPU</translation>
    </message>
    <message>
        <source>The host has {count} of them.</source>
        <translation>这台主机上有 {count} 块。</translation>
    </message>
    <message>
        <source>For all requests of the goal at once.</source>
        <translation>可同时容纳目标中的全部请求。</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>{size} lacking per GPU</source>
        <translation>每块 GPU 还差 {size}</translation>
    </message>
    <message>
        <source>Beside what already runs</source>
        <translation>与已在运行的程序共用</translation>
    </message>
    <message>
        <source>Nothing else holds memory there.</source>
        <translation>这些 GPU 上没有其他程序占用显存。</translation>
    </message>
    <message>
        <source>Others hold {size} on the fullest GPU.</source>
        <translation>占用最多的 GPU 上，其他程序占了 {size}。</translation>
    </message>
    <message>
        <source>{count}, {active} per token</source>
        <translation>{count} 个，每个 token 用 {active} 个</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>context {count} tokens</source>
        <translation>上下文 {count} token</translation>
    </message>
    <message>
        <source>{count} requests at once</source>
        <translation>并发请求 {count}</translation>
    </message>
    <message>
        <source>GPU {list}</source>
        <translation>GPU {list}</translation>
    </message>
    <message>
        <source>processors only</source>
        <translation>仅用 CPU</translation>
    </message>
    <message>
        <source>rank {rank}</source>
        <translation>秩 {rank}</translation>
    </message>
    <message>
        <source>unknown model</source>
        <translation>未知型号</translation>
    </message>
    <message>
        <source>{size} GiB free</source>
        <translation>空闲 {size} GiB</translation>
    </message>
    <message>
        <source>no GPU</source>
        <translation>没有 GPU</translation>
    </message>
    <message>
        <source>driver {version}</source>
        <translation>驱动 {version}</translation>
    </message>
    <message>
        <source>{count} processor threads</source>
        <translation>{count} 个 CPU 线程</translation>
    </message>
    <message>
        <source>{size} GiB main memory</source>
        <translation>{size} GiB 内存</translation>
    </message>
    <message>
        <source>comes with Pitwall</source>
        <translation>随 Pitwall 提供</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>{name} · cannot be read</source>
        <translation>{name} · 无法读取</translation>
    </message>
    <message>
        <source>{engine}, newest version</source>
        <translation>{engine}，最新版本</translation>
    </message>
    <message>
        <source>next free one</source>
        <translation>下一个空闲端口</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>镜像</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Revision</source>
        <translation>修订版本</translation>
    </message>
    <message>
        <source>none: runs on processors</source>
        <translation>无：在 CPU 上运行</translation>
    </message>
    <message>
        <source>Not ready: it cannot be loaded as it lies there.</source>
        <translation>尚未就绪：现有文件无法加载。</translation>
    </message>
    <message>
        <source>Ready. Remarks: {count}</source>
        <translation>可以加载，有 {count} 处提醒。</translation>
    </message>
    <message>
        <source>Whole and ready to be loaded.</source>
        <translation>文件完整，可以加载。</translation>
    </message>
    <message>
        <source>{title}: {text}</source>
        <translation>{title}：{text}</translation>
    </message>
    <message>
        <source>{count} requests at once, prompts of {prompt} and answers of {output} tokens</source>
        <translation>{count} 个请求同时进行，提示 {prompt} token，回答 {output} token</translation>
    </message>
    <message>
        <source>Speed not known: {reason}</source>
        <translation>速度未知：{reason}</translation>
    </message>
    <message>
        <source>first token {span}</source>
        <translation>首个 token {span}</translation>
    </message>
    <message>
        <source>between tokens {span}</source>
        <translation>token 间隔 {span}</translation>
    </message>
    <message>
        <source>{span} tokens/s in all</source>
        <translation>合计 {span} tokens/s</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>One of the possible answers.</source>
        <translation>可能的答案之一。</translation>
    </message>
    <message>
        <source>A question on the way to the plan.</source>
        <translation>通向方案的一个问题。</translation>
    </message>
    <message>
        <source>The answer that was given, or follows from host and model.</source>
        <translation>给出的答案，或由主机和模型得出的答案。</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>硬件</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求数</translation>
    </message>
    <message>
        <source>KV tokens</source>
        <translation>KV token 数</translation>
    </message>
    <message>
        <source>{engine}: {text}</source>
        <translation>{engine}：{text}</translation>
    </message>
    <message>
        <source>{engine} takes them.</source>
        <translation>{engine} 接受这些参数。</translation>
    </message>
    <message>
        <source>As they stand, the plan goes to {engine}.</source>
        <translation>按目前的参数，方案改用 {engine}。</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>beside the tensors</source>
        <translation>张量之外</translation>
    </message>
    <message>
        <source>a block</source>
        <translation>每块大小</translation>
    </message>
    <message>
        <source>tokens in a block</source>
        <translation>每块 token 数</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>块数</translation>
    </message>
    <message>
        <source>blocks of a request</source>
        <translation>每请求块数</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>bytes of a value</source>
        <translation>每个数值的字节数</translation>
    </message>
    <message>
        <source>width of an expert</source>
        <translation>专家宽度</translation>
    </message>
    <message>
        <source>experts of a token</source>
        <translation>每 token 专家数</translation>
    </message>
    <message>
        <source>memory share</source>
        <translation>显存比例</translation>
    </message>
    <message>
        <source>width of a head</source>
        <translation>注意力头宽度</translation>
    </message>
    <message>
        <source>hidden size</source>
        <translation>隐藏层宽度</translation>
    </message>
    <message>
        <source>within the limit</source>
        <translation>计入上限之内</translation>
    </message>
    <message>
        <source>intermediate size</source>
        <translation>中间层宽度</translation>
    </message>
    <message>
        <source>type of the KV cache</source>
        <translation>KV cache 类型</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV 头数</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>non-torch, other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>usable, the limit</source>
        <translation>可用（上限）</translation>
    </message>
    <message>
        <source>in all by NVML</source>
        <translation>NVML 报告的总量</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>kept by the driver</source>
        <translation>驱动保留</translation>
    </message>
    <message>
        <source>requests in a batch</source>
        <translation>每批请求数</translation>
    </message>
    <message>
        <source>tokens in a batch</source>
        <translation>每批 token 数</translation>
    </message>
    <message>
        <source>in all</source>
        <translation>总量</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation>词表大小</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>the plan&apos;s values</source>
        <translation>方案中的取值</translation>
    </message>
    <message>
        <source>driver or catalogue</source>
        <translation>驱动或产品目录</translation>
    </message>
    <message>
        <source>the plan&apos;s values, else config.json</source>
        <translation>方案中的取值，否则取自 config.json</translation>
    </message>
    <message>
        <source>the plan&apos;s values, else the engine&apos;s own</source>
        <translation>方案中的取值，否则取引擎默认值</translation>
    </message>
    <message>
        <source>{size} per GPU</source>
        <translation>每块 GPU {size}</translation>
    </message>
</context>
<context>
    <name>PlanAside</name>
    <message>
        <source>Decision tree</source>
        <translation>决策树</translation>
    </message>
    <message>
        <source>How far it goes</source>
        <translation>能放多少</translation>
    </message>
    <message>
        <source>Which hardware</source>
        <translation>硬件选型</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>决策树</translation>
    </message>
    <message>
        <source>Reach</source>
        <translation>能放多少</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>硬件</translation>
    </message>
    <message>
        <source>The decision tree</source>
        <translation>决策树</translation>
    </message>
    <message>
        <source>It appears with the model, lit along the way that was taken.</source>
        <translation>选定模型后显示，所走的路径会点亮。</translation>
    </message>
</context>
<context>
    <name>PlanFoot</name>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save profile…</source>
        <translation>保存配置方案…</translation>
    </message>
    <message>
        <source>Deploy…</source>
        <translation>部署…</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Preparing the deployment …</source>
        <translation>正在准备部署…</translation>
    </message>
    <message>
        <source>Planning …</source>
        <translation>正在制定方案…</translation>
    </message>
    <message>
        <source>Reading the model …</source>
        <translation>正在读取模型…</translation>
    </message>
    <message>
        <source>Step {number}: {problem}</source>
        <translation>第 {number} 步：{problem}</translation>
    </message>
    <message>
        <source>Connect the host to deploy.</source>
        <translation>连接主机后才能部署。</translation>
    </message>
</context>
<context>
    <name>PlanPage</name>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Open profile…</source>
        <translation>打开配置方案…</translation>
    </message>
    <message>
        <source>A plan rests on what the host is: connect it first.</source>
        <translation>方案以主机的实际情况为依据：请先连接。</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>How the memory adds up</source>
        <translation>显存是怎样算出来的</translation>
    </message>
    <message>
        <source>Save profile</source>
        <translation>保存配置方案</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
</context>
<context>
    <name>ProfileDialog</name>
    <message>
        <source>Open a profile</source>
        <translation>打开配置方案</translation>
    </message>
    <message>
        <source>Deploy…</source>
        <translation>部署…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Profiles</source>
        <translation>配置方案</translation>
    </message>
    <message>
        <source>&amp;Model on the host</source>
        <translation>主机上的模型(&amp;M)</translation>
    </message>
    <message>
        <source>A model&apos;s folder, or a GGUF file.</source>
        <translation>模型文件夹或 GGUF 文件。</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>从文件…</translation>
    </message>
    <message>
        <source>This profile leaves the model open: name one.</source>
        <translation>该配置方案未指定模型：请填写一个。</translation>
    </message>
</context>
<context>
    <name>ReachPanel</name>
    <message>
        <source>And if &amp;others held</source>
        <translation>若其他程序占用(&amp;O)</translation>
    </message>
    <message>
        <source>Memory on the fullest GPU, such as 40 GiB. Empty: as the host was found.</source>
        <translation>占用最多的那块 GPU 上的显存，例如 40 GiB；留空则按主机实际情况计算。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Looking how far it goes …</source>
        <translation>正在计算能放多少…</translation>
    </message>
    <message>
        <source>It is answered as soon as there is a plan.</source>
        <translation>有了方案即可给出答案。</translation>
    </message>
</context>
<context>
    <name>UsualPlaces</name>
    <message>
        <source>Models often lie in one of these:</source>
        <translation>模型常放在以下位置：</translation>
    </message>
    <message>
        <source>Home folder</source>
        <translation>用户主目录</translation>
    </message>
</context>
</TS>
