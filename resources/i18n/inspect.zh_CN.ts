<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>ClinicPanel</name>
    <message>
        <source>Copy corrected text</source>
        <translation>复制修正后的文本</translation>
    </message>
    <message>
        <source>The text with what can be corrected without thinking, secrets included.</source>
        <translation>已自动修正无需判断之处的文本（包含其中的密钥）。</translation>
    </message>
    <message>
        <source>Launch text</source>
        <translation>启动文本</translation>
    </message>
    <message>
        <source>Remarks</source>
        <translation>意见</translation>
    </message>
</context>
<context>
    <name>Inspect</name>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>GPU topology matrix</source>
        <translation>GPU 拓扑矩阵</translation>
    </message>
    <message>
        <source>Peer-to-peer matrix</source>
        <translation>P2P 矩阵</translation>
    </message>
    <message>
        <source>nvidia-smi, as printed</source>
        <translation>nvidia-smi 表格</translation>
    </message>
    <message>
        <source>nvidia-smi, queried values</source>
        <translation>nvidia-smi 查询值</translation>
    </message>
    <message>
        <source>nvidia-smi, everything (XML)</source>
        <translation>nvidia-smi 完整信息（XML）</translation>
    </message>
    <message>
        <source>nvidia-smi, list of GPUs</source>
        <translation>nvidia-smi GPU 列表</translation>
    </message>
    <message>
        <source>nvidia-smi, NVLinks</source>
        <translation>nvidia-smi NVLink 状态</translation>
    </message>
    <message>
        <source>GPU processes</source>
        <translation>GPU 进程</translation>
    </message>
    <message>
        <source>MIG instances</source>
        <translation>MIG 实例</translation>
    </message>
    <message>
        <source>Failure of nvidia-smi</source>
        <translation>nvidia-smi 报错</translation>
    </message>
    <message>
        <source>AMD&apos;s tools (not supported)</source>
        <translation>AMD 工具输出（不支持）</translation>
    </message>
    <message>
        <source>Log of an engine</source>
        <translation>推理引擎日志</translation>
    </message>
    <message>
        <source>Metrics (Prometheus)</source>
        <translation>指标（Prometheus）</translation>
    </message>
    <message>
        <source>docker inspect</source>
        <translation>docker inspect</translation>
    </message>
    <message>
        <source>docker run line</source>
        <translation>docker run 命令</translation>
    </message>
    <message>
        <source>Compose file</source>
        <translation>Compose 文件</translation>
    </message>
    <message>
        <source>Kubernetes containers</source>
        <translation>Kubernetes 容器</translation>
    </message>
    <message>
        <source>systemd unit</source>
        <translation>systemd unit</translation>
    </message>
    <message>
        <source>Launch script</source>
        <translation>启动脚本</translation>
    </message>
    <message>
        <source>nginx in front of an engine</source>
        <translation>引擎前的 nginx</translation>
    </message>
    <message>
        <source>Configuration of a model</source>
        <translation>模型配置</translation>
    </message>
    <message>
        <source>A whole host</source>
        <translation>整机信息</translation>
    </message>
    <message>
        <source>Log of the kernel</source>
        <translation>内核日志</translation>
    </message>
    <message>
        <source>Not recognised</source>
        <translation>无法识别</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>CUDA</source>
        <translation>CUDA</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Network adapters</source>
        <translation>网卡</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>NVLinks of a pair</source>
        <translation>每对 GPU 的 NVLink 数</translation>
    </message>
    <message>
        <source>NVLink islands</source>
        <translation>NVLink 分组</translation>
    </message>
    <message>
        <source>CPU affinity</source>
        <translation>CPU 亲和性</translation>
    </message>
    <message>
        <source>NUMA affinity</source>
        <translation>NUMA 亲和性</translation>
    </message>
    <message>
        <source>GPU NUMA id</source>
        <translation>GPU NUMA 编号</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>Peer-to-peer</source>
        <translation>P2P</translation>
    </message>
    <message>
        <source>All OK</source>
        <translation>全部正常</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>行数</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>处理办法</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>Containers</source>
        <translation>容器</translation>
    </message>
    <message>
        <source>Profiles</source>
        <translation>规格</translation>
    </message>
    <message>
        <source>Instances</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>Disks</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>NUMA nodes</source>
        <translation>NUMA 节点</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Also in it</source>
        <translation>还包含</translation>
    </message>
    <message>
        <source>Index</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Memory, MiB</source>
        <translation>显存（MiB）</translation>
    </message>
    <message>
        <source>Used, MiB</source>
        <translation>已用（MiB）</translation>
    </message>
    <message>
        <source>Reserved, MiB</source>
        <translation>保留（MiB）</translation>
    </message>
    <message>
        <source>Use, %</source>
        <translation>利用率（%）</translation>
    </message>
    <message>
        <source>°C</source>
        <translation>°C</translation>
    </message>
    <message>
        <source>Power, W</source>
        <translation>功耗（W）</translation>
    </message>
    <message>
        <source>Capability</source>
        <translation>计算能力</translation>
    </message>
    <message>
        <source>MIG</source>
        <translation>MIG</translation>
    </message>
    <message>
        <source>PCI address</source>
        <translation>PCI 地址</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>在用</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Host name</source>
        <translation>主机名</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>采集时间</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>型号</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>What if: a host from the GPU catalogue</source>
        <translation>假设主机：取自 GPU 目录</translation>
    </message>
    <message>
        <source>{size}, of which the beginning was read</source>
        <translation>{size}，只读取了开头部分</translation>
    </message>
    <message>
        <source>There is no text in it.</source>
        <translation>其中没有文本。</translation>
    </message>
    <message>
        <source>This is no text: a program, a picture or a database.</source>
        <translation>这不是文本，而是程序、图片或数据库文件。</translation>
    </message>
    <message>
        <source>None of the tools that Pitwall knows prints this.</source>
        <translation>不是 Pitwall 认识的任何工具的输出。</translation>
    </message>
    <message>
        <source>A web form has escaped and cut this text; ask for it as a file.</source>
        <translation>网页表单转义并截断了这段文本，请让对方以文件形式发送。</translation>
    </message>
    <message>
        <source>Pitwall reads NVIDIA hosts; this is of another maker.</source>
        <translation>Pitwall 只支持 NVIDIA 主机，这是其他厂商的输出。</translation>
    </message>
    <message>
        <source>{title} · {count} unknown</source>
        <translation>{title} · {count} 项未知</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>not in it</source>
        <translation>其中没有</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Will be rejected</source>
        <translation>会被拒绝</translation>
    </message>
    <message>
        <source>Means something else</source>
        <translation>含义不同</translation>
    </message>
    <message>
        <source>Will be ignored</source>
        <translation>会被忽略</translation>
    </message>
    <message>
        <source>Risk</source>
        <translation>风险</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Places that will be rejected: {count}</source>
        <translation>会被拒绝：{count} 处</translation>
    </message>
    <message>
        <source>It starts. Places that deserve a look: {count}</source>
        <translation>可以启动，需要留意：{count} 处</translation>
    </message>
    <message>
        <source>Nothing speaks against it</source>
        <translation>未发现问题</translation>
    </message>
    <message>
        <source>Line {line} · {severity}</source>
        <translation>第 {line} 行 · {severity}</translation>
    </message>
    <message>
        <source>Write: {text}</source>
        <translation>改为：{text}</translation>
    </message>
    <message>
        <source>Source: {source} ({date})</source>
        <translation>来源：{source}（{date}）</translation>
    </message>
</context>
<context>
    <name>InspectPage</name>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>识别</translation>
    </message>
    <message>
        <source>What a customer sent, and hosts thought of</source>
        <translation>客户发来的资料，以及设想的主机</translation>
    </message>
    <message>
        <source>Open file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Looks at what is in the clipboard (Ctrl+V)</source>
        <translation>识别剪贴板内容（Ctrl+V）</translation>
    </message>
    <message>
        <source>Save collector script</source>
        <translation>保存采集脚本</translation>
    </message>
    <message>
        <source>For hosts that you may not enter: an administrator runs it and sends one file.</source>
        <translation>用于无权登录的主机：由管理员运行，再发回一个文件。</translation>
    </message>
    <message>
        <source>Open what a customer sent</source>
        <translation>打开客户发来的资料</translation>
    </message>
    <message>
        <source>The collector&apos;s file, outputs of nvidia-smi and other tools, an engine&apos;s log, how an engine is started (docker run, compose, systemd, a script, nginx in front), a folder or archive of them. Drop it anywhere on the window, or paste it with Ctrl+V.</source>
        <translation>采集脚本的输出文件、nvidia-smi 等工具的输出、引擎日志、引擎的启动方式（docker run、compose、systemd、脚本、前置 nginx），以及包含它们的文件夹或压缩包。可拖放到窗口任意位置，或按 Ctrl+V 粘贴。</translation>
    </message>
    <message>
        <source>Use as a host</source>
        <translation>作为主机使用</translation>
    </message>
    <message>
        <source>Keeps it as a host without a connection, among your hosts.</source>
        <translation>保存为一台没有连接的主机，列入主机列表。</translation>
    </message>
    <message>
        <source>Run checks</source>
        <translation>运行检查</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Diagnose this log</source>
        <translation>诊断这份日志</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>What if…</source>
        <translation>假设…</translation>
    </message>
    <message>
        <source>A host to think of</source>
        <translation>设想的主机</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Make host</source>
        <translation>生成主机</translation>
    </message>
    <message>
        <source>There is no text in the clipboard.</source>
        <translation>剪贴板中没有文本。</translation>
    </message>
    <message>
        <source>Open a folder of outputs</source>
        <translation>打开输出文件夹</translation>
    </message>
    <message>
        <source>{name} is among your hosts now.</source>
        <translation>{name} 已加入主机列表。</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
</context>
<context>
    <name>InspectResult</name>
    <message>
        <source>What it says</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>原文</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Inspect</source>
        <translation>识别</translation>
    </message>
</context>
</TS>
