<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>CheckDetails</name>
    <message>
        <source>Choose a check to see more.</source>
        <translation>选择一个检查项查看详情。</translation>
    </message>
    <message>
        <source>Why it matters</source>
        <translation>为什么重要</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>处理方法</translation>
    </message>
    <message>
        <source>Source: {source}</source>
        <translation>来源：{source}</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>复制命令</translation>
    </message>
</context>
<context>
    <name>Checks</name>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Area</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Fail</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>Not applicable</source>
        <translation>不适用</translation>
    </message>
    <message>
        <source>{state}: {count}</source>
        <translation>{state}：{count}</translation>
    </message>
    <message>
        <source>How to see that it is done</source>
        <translation>如何确认已处理</translation>
    </message>
    <message>
        <source>How to read it by hand</source>
        <translation>如何手动查看</translation>
    </message>
</context>
<context>
    <name>Facts</name>
    <message>
        <source>the tool is not installed</source>
        <translation>未安装该工具</translation>
    </message>
    <message>
        <source>the tool failed</source>
        <translation>工具运行失败</translation>
    </message>
    <message>
        <source>the tool did not answer in time</source>
        <translation>工具未及时响应</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>未报告</translation>
    </message>
    <message>
        <source>not supported by the device</source>
        <translation>设备不支持</translation>
    </message>
    <message>
        <source>needs root</source>
        <translation>需要 root 权限</translation>
    </message>
    <message>
        <source>the output could not be understood</source>
        <translation>输出无法解析</translation>
    </message>
    <message>
        <source>not asked</source>
        <translation>未查询</translation>
    </message>
    <message>
        <source>the sender hid it</source>
        <translation>发送方已隐去</translation>
    </message>
    <message>
        <source>CDI</source>
        <translation>CDI</translation>
    </message>
    <message>
        <source>NVIDIA runtime</source>
        <translation>NVIDIA 运行时</translation>
    </message>
    <message>
        <source>device request (--gpus)</source>
        <translation>设备请求（--gpus）</translation>
    </message>
    <message>
        <source>none: containers cannot use the GPUs</source>
        <translation>无：容器不能使用 GPU</translation>
    </message>
    <message>
        <source>The sizes of the NUMA nodes do not add up to the machine&apos;s memory.</source>
        <translation>各 NUMA 节点的内存之和与整机内存不符。</translation>
    </message>
    <message>
        <source>The columns of nvidia-smi&apos;s list were guessed: it has no header.</source>
        <translation>nvidia-smi 的列表没有表头，各列含义是推断的。</translation>
    </message>
    <message>
        <source>Several tables were sent; only one was read.</source>
        <translation>发来了多张表，只读取了其中一张。</translation>
    </message>
    <message>
        <source>Several queries were sent; only one was read.</source>
        <translation>发来了多次查询结果，只读取了其中一次。</translation>
    </message>
    <message>
        <source>The name fits several products.</source>
        <translation>该名称对应多款产品，无法确定。</translation>
    </message>
    <message>
        <source>The memory does not suit the name: a modified or virtual card?</source>
        <translation>显存大小与名称不符：可能是改装卡或虚拟 GPU。</translation>
    </message>
    <message>
        <source>Name and PCI device belong to different products.</source>
        <translation>名称与 PCI 设备号属于不同产品。</translation>
    </message>
    <message>
        <source>nvidia-smi does not show all network adapters.</source>
        <translation>nvidia-smi 没有列出全部网卡。</translation>
    </message>
    <message>
        <source>The raw outputs kept in this record cannot be unpacked.</source>
        <translation>此记录中保存的原始输出无法解压。</translation>
    </message>
    <message>
        <source>An output is cut off.</source>
        <translation>有一段输出被截断。</translation>
    </message>
    <message>
        <source>The sender hid names, serial numbers and addresses; UUIDs are stand-ins, equal ones for equal GPUs.</source>
        <translation>发送方隐去了名称、序列号和地址；UUID 为替代值，同一块 GPU 的替代值相同。</translation>
    </message>
    <message>
        <source>These files come from different hosts or times; the first of each kind counts.</source>
        <translation>这些文件来自不同的主机或时间；同类文件以第一份为准。</translation>
    </message>
    <message>
        <source>A file says nothing about the host.</source>
        <translation>有一个文件不含主机信息。</translation>
    </message>
    <message>
        <source>Assumed from the GPU catalogue; no machine was asked.</source>
        <translation>取自 GPU 目录的假设值，没有询问任何机器。</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>Host name</source>
        <translation>主机名</translation>
    </message>
    <message>
        <source>Operating system</source>
        <translation>操作系统</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Virtualization</source>
        <translation>虚拟化</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Root</source>
        <translation>root 权限</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Sockets</source>
        <translation>插槽数</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>核心数</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory available</source>
        <translation>可用内存</translation>
    </message>
    <message>
        <source>Shared memory (/dev/shm)</source>
        <translation>共享内存（/dev/shm）</translation>
    </message>
    <message>
        <source>{free} free of {total} · {kind}</source>
        <translation>可用 {free}，共 {total} · {kind}</translation>
    </message>
    <message>
        <source>NVIDIA driver</source>
        <translation>NVIDIA 驱动</translation>
    </message>
    <message>
        <source>CUDA, newest the driver supports</source>
        <translation>CUDA（驱动支持的最高版本）</translation>
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
        <source>API version</source>
        <translation>API 版本</translation>
    </message>
    <message>
        <source>This user may use it</source>
        <translation>当前用户可用</translation>
    </message>
    <message>
        <source>Rootless</source>
        <translation>无 root 模式</translation>
    </message>
    <message>
        <source>GPU access</source>
        <translation>GPU 接入方式</translation>
    </message>
    <message>
        <source>NVIDIA Container Toolkit</source>
        <translation>NVIDIA Container Toolkit</translation>
    </message>
    <message>
        <source>Runtimes</source>
        <translation>运行时</translation>
    </message>
    <message>
        <source>CDI devices</source>
        <translation>CDI 设备</translation>
    </message>
    <message>
        <source>Image folder</source>
        <translation>镜像文件夹</translation>
    </message>
    <message>
        <source>{name} (PID {pid}) · {memory}</source>
        <translation>{name}（PID {pid}）· {memory}</translation>
    </message>
    <message>
        <source>NVLink island</source>
        <translation>NVLink 岛</translation>
    </message>
    <message>
        <source>NUMA node {id}</source>
        <translation>NUMA 节点 {id}</translation>
    </message>
    <message>
        <source>{node}: CPUs</source>
        <translation>{node}：CPU</translation>
    </message>
    <message>
        <source>{node}: memory</source>
        <translation>{node}：内存</translation>
    </message>
    <message>
        <source>Link matrix</source>
        <translation>互连矩阵</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>未发现</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>型号</translation>
    </message>
    <message>
        <source>UUID</source>
        <translation>UUID</translation>
    </message>
    <message>
        <source>PCI address</source>
        <translation>PCI 地址</translation>
    </message>
    <message>
        <source>Compute capability</source>
        <translation>计算能力</translation>
    </message>
    <message>
        <source>Memory total</source>
        <translation>显存总量</translation>
    </message>
    <message>
        <source>Memory reserved</source>
        <translation>保留显存</translation>
    </message>
    <message>
        <source>Memory used</source>
        <translation>已用显存</translation>
    </message>
    <message>
        <source>Memory free</source>
        <translation>可用显存</translation>
    </message>
    <message>
        <source>Utilization</source>
        <translation>利用率</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功耗</translation>
    </message>
    <message>
        <source>Power limit</source>
        <translation>功耗上限</translation>
    </message>
    <message>
        <source>SM clock</source>
        <translation>SM 频率</translation>
    </message>
    <message>
        <source>SM clock, highest</source>
        <translation>SM 最高频率</translation>
    </message>
    <message>
        <source>Memory clock</source>
        <translation>显存频率</translation>
    </message>
    <message>
        <source>PCIe now</source>
        <translation>当前 PCIe</translation>
    </message>
    <message>
        <source>PCIe, highest</source>
        <translation>最高 PCIe</translation>
    </message>
    <message>
        <source>NUMA node</source>
        <translation>NUMA 节点</translation>
    </message>
    <message>
        <source>Persistence mode</source>
        <translation>持久模式</translation>
    </message>
    <message>
        <source>Compute mode</source>
        <translation>计算模式</translation>
    </message>
    <message>
        <source>ECC</source>
        <translation>ECC</translation>
    </message>
    <message>
        <source>ECC errors, uncorrected</source>
        <translation>ECC 不可纠正错误</translation>
    </message>
    <message>
        <source>MIG</source>
        <translation>MIG</translation>
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
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>Fingerprint</name>
    <message>
        <source>Fact</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>型号</translation>
    </message>
    <message>
        <source>Capability</source>
        <translation>计算能力</translation>
    </message>
    <message>
        <source>Memory used, GiB</source>
        <translation>已用显存（GiB）</translation>
    </message>
    <message>
        <source>Reserved, MiB</source>
        <translation>保留（MiB）</translation>
    </message>
    <message>
        <source>Use, %</source>
        <translation>利用率 %</translation>
    </message>
    <message>
        <source>Power, W</source>
        <translation>功耗 W</translation>
    </message>
    <message>
        <source>°C</source>
        <translation>°C</translation>
    </message>
    <message>
        <source>PCIe</source>
        <translation>PCIe</translation>
    </message>
    <message>
        <source>NUMA</source>
        <translation>NUMA</translation>
    </message>
    <message>
        <source>{title} · {count} unknown</source>
        <translation>{title} · {count} 项未知</translation>
    </message>
    <message>
        <source>{host} · taken {time}</source>
        <translation>{host} · 采集于 {time}</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Driver and CUDA</source>
        <translation>驱动与 CUDA</translation>
    </message>
    <message>
        <source>Links and NUMA</source>
        <translation>互连与 NUMA</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Processors, memory</source>
        <translation>处理器与内存</translation>
    </message>
    <message>
        <source>Disks</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>Container engine</source>
        <translation>容器引擎</translation>
    </message>
    <message>
        <source>GPU processes</source>
        <translation>GPU 进程</translation>
    </message>
    <message>
        <source>{word} · {count}</source>
        <translation>{word} · {count}</translation>
    </message>
    <message>
        <source>Could not be compared: {names}</source>
        <translation>无法比较：{names}</translation>
    </message>
    <message>
        <source>This host: {name}</source>
        <translation>此主机：{name}</translation>
    </message>
    <message>
        <source>Deployment: {name}</source>
        <translation>部署：{name}</translation>
    </message>
    <message>
        <source>Earlier: {time}</source>
        <translation>此前：{time}</translation>
    </message>
</context>
<context>
    <name>FingerprintChecks</name>
    <message>
        <source>Checks</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Search checks</source>
        <translation>搜索检查项</translation>
    </message>
    <message>
        <source>Area</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Preparation sheet</source>
        <translation>准备清单</translation>
    </message>
    <message>
        <source>What the host&apos;s administrator should change, with commands and reasons.</source>
        <translation>主机管理员需要调整的内容，附命令和原因。</translation>
    </message>
    <message>
        <source>Save as Markdown</source>
        <translation>保存为 Markdown</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>No check matches. Choose other states or other words.</source>
        <translation>没有符合条件的检查项，请选择其他状态或关键词。</translation>
    </message>
    <message>
        <source>Nothing to check yet</source>
        <translation>还没有可检查的内容</translation>
    </message>
    <message>
        <source>Take a fingerprint of the host, or open one from a file.</source>
        <translation>请先采集主机指纹，或从文件打开。</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>正在检查</translation>
    </message>
    <message>
        <source>The facts are being judged.</source>
        <translation>正在根据采集到的信息作出判断。</translation>
    </message>
    <message>
        <source>All areas</source>
        <translation>全部类别</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Save preparation sheet</source>
        <translation>保存准备清单</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
</context>
<context>
    <name>FingerprintCompare</name>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>compared with</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>对比的一方</translation>
    </message>
    <message>
        <source>What it is compared with</source>
        <translation>对比的另一方</translation>
    </message>
    <message>
        <source>Choose host, date or deployment</source>
        <translation>选择主机、时间或部署</translation>
    </message>
    <message>
        <source>From a file</source>
        <translation>从文件</translation>
    </message>
    <message>
        <source>Only what changes behaviour</source>
        <translation>只看改变行为的差异</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>复制文本</translation>
    </message>
    <message>
        <source>Save text</source>
        <translation>保存文本</translation>
    </message>
    <message>
        <source>Save deployment</source>
        <translation>保存部署信息</translation>
    </message>
    <message>
        <source>Saves what this deployment is, to compare it where the host is out of reach.</source>
        <translation>保存该部署的完整信息，以便在无法连接该主机时进行对比。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>正在对比</translation>
    </message>
    <message>
        <source>Files of a model are hashed on their host, which can take a minute.</source>
        <translation>需要在主机上计算模型文件的哈希，可能要一分钟。</translation>
    </message>
    <message>
        <source>Nothing to compare yet</source>
        <translation>还没有可对比的内容</translation>
    </message>
    <message>
        <source>Take a fingerprint of this host, or open one from a file, first.</source>
        <translation>请先采集此主机的指纹，或从文件打开一份。</translation>
    </message>
    <message>
        <source>Same model, other behaviour?</source>
        <translation>模型相同，表现不同？</translation>
    </message>
    <message>
        <source>Choose another host, an earlier date, a deployment or a file. Each difference is explained: what changes behaviour, what changes speed, what does not matter.</source>
        <translation>选择另一台主机、更早的时间、一个部署或一个文件。每处差异都会说明：哪些改变行为，哪些影响速度，哪些没有影响。</translation>
    </message>
    <message>
        <source>In English</source>
        <translation>英文</translation>
    </message>
    <message>
        <source>In Chinese</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>In both languages</source>
        <translation>中英双语</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Open fingerprint or deployment</source>
        <translation>打开指纹或部署信息</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
</context>
<context>
    <name>FingerprintPage</name>
    <message>
        <source>Take again</source>
        <translation>重新采集</translation>
    </message>
    <message>
        <source>Raw output</source>
        <translation>原始输出</translation>
    </message>
    <message>
        <source>Save as JSON</source>
        <translation>保存为 JSON</translation>
    </message>
    <message>
        <source>Open file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Take fingerprint</source>
        <translation>采集指纹</translation>
    </message>
    <message>
        <source>Groups of facts</source>
        <translation>事实分组</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Raw sections</source>
        <translation>原始片段</translation>
    </message>
    <message>
        <source>More tabs</source>
        <translation>更多选项卡</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Fingerprint</source>
        <translation>指纹</translation>
    </message>
    <message>
        <source>Choose a host on the Hosts page, or open a fingerprint from a file.</source>
        <translation>请在“主机”页选择一台主机，或从文件打开指纹。</translation>
    </message>
    <message>
        <source>No fingerprint of {host} yet</source>
        <translation>还没有 {host} 的指纹</translation>
    </message>
    <message>
        <source>One read-only script asks the host for GPUs, driver, links, memory and container engine. Nothing is installed or saved there.</source>
        <translation>用一个只读脚本查询主机的 GPU、驱动、互连、内存和容器引擎，不在主机上安装或保存任何内容。</translation>
    </message>
    <message>
        <source>This fingerprint holds no outputs of the host&apos;s tools.</source>
        <translation>这份指纹中没有主机工具的原始输出。</translation>
    </message>
    <message>
        <source>{command}   ·   exit status {code}</source>
        <translation>{command}   ·   退出状态 {code}</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Save fingerprint</source>
        <translation>保存指纹</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
    <message>
        <source>Open fingerprint</source>
        <translation>打开指纹</translation>
    </message>
    <message>
        <source>Fingerprints (*.json)</source>
        <translation>指纹 (*.json)</translation>
    </message>
</context>
<context>
    <name>FingerprintSmoke</name>
    <message>
        <source>Smoke run</source>
        <translation>冒烟测试</translation>
    </message>
    <message>
        <source>nvidia-smi can look well while CUDA fails. A smoke run starts one container of an image that the host has, without network and with nothing written, measures for up to three minutes and removes it.</source>
        <translation>nvidia-smi 看起来正常时，CUDA 也可能无法使用。冒烟测试用主机上已有的镜像启动一个容器：不联网、不写入任何文件，最多测量三分钟，然后删除。</translation>
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
        <source>Empty: the one Pitwall deploys</source>
        <translation>留空：使用 Pitwall 部署的镜像</translation>
    </message>
    <message>
        <source>Model folder</source>
        <translation>模型目录</translation>
    </message>
    <message>
        <source>Its largest file is read; may be empty</source>
        <translation>读取其中最大的文件；可留空</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>What is run</source>
        <translation>将要运行的内容</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Measuring …</source>
        <translation>正在测量…</translation>
    </message>
    <message>
        <source>Not run yet</source>
        <translation>尚未运行</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Fingerprint</source>
        <translation>指纹</translation>
    </message>
</context>
<context>
    <name>Smoke</name>
    <message>
        <source>GPU memory, copy</source>
        <translation>显存复制</translation>
    </message>
    <message>
        <source>Host to GPU</source>
        <translation>主机到 GPU</translation>
    </message>
    <message>
        <source>GPU to host</source>
        <translation>GPU 到主机</translation>
    </message>
    <message>
        <source>GPU to GPU</source>
        <translation>GPU 之间</translation>
    </message>
    <message>
        <source>All-reduce, bus rate</source>
        <translation>All-reduce 总线速率</translation>
    </message>
    <message>
        <source>Model disk, one reader</source>
        <translation>模型盘，单线程读取</translation>
    </message>
    <message>
        <source>as claimed</source>
        <translation>符合标称</translation>
    </message>
    <message>
        <source>low</source>
        <translation>偏低</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>已测量</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>CUDA works, and memory and links are as fast as claimed.</source>
        <translation>CUDA 可用，显存与互联速度符合标称值。</translation>
    </message>
    <message>
        <source>CUDA works, but something is slower than claimed.</source>
        <translation>CUDA 可用，但有项目低于标称值。</translation>
    </message>
    <message>
        <source>CUDA does not work in this image on this host.</source>
        <translation>CUDA 在该主机的这个镜像中无法使用。</translation>
    </message>
    <message>
        <source>No GPU was handed over, so CUDA was not asked.</source>
        <translation>没有交给容器 GPU，因此未检测 CUDA。</translation>
    </message>
    <message>
        <source>Not known: the image could not be asked to the end.</source>
        <translation>未知：未能在镜像中完成检测。</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>computes</source>
        <translation>计算正常</translation>
    </message>
    <message>
        <source>fails</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>listed</source>
        <translation>已列出</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>Claimed GB/s</source>
        <translation>标称 GB/s</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>说明</translation>
    </message>
</context>
</TS>
